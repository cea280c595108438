import { Alert, Button, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { SubmitEvent } from 'react'
import { passwordCharactersMax, passwordCharactersMin } from '../../../src/contract/forms.ts'
import { calls } from '../api/calls.ts'
import { changeSession } from '../api/query-client.ts'
import { explain } from '../parts/explain.ts'
import { Page } from '../parts/page.tsx'
import { textField } from '../parts/text-field.ts'

/** Settings of the signed-in person. */
export default function Profile() {
  return (
    <Page title="Password and sessions">
      <ChangePassword />
      <SignOutEverywhere />
    </Page>
  )
}

function ChangePassword() {
  const change = useMutation({ mutationFn: calls.changePassword })
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = event.currentTarget
    const body = { current_password: textField(form, 'current'), new_password: textField(form, 'new') }
    change.mutate(body, { onSuccess: () => form.reset() })
  }
  return (
    <Paper withBorder p="md" maw={480}>
      <Title order={2} size="h5" mb="sm">
        Change your password
      </Title>
      <form onSubmit={submit}>
        <Stack>
          {change.error && (
            <Alert color="red" variant="light" role="alert">
              {explain(change.error)}
            </Alert>
          )}
          {change.isSuccess && (
            <Alert color="green" variant="light" role="status">
              Your password has been changed, and your other sessions have ended.
            </Alert>
          )}
          <PasswordInput name="current" label="Current password" autoComplete="current-password" required />
          <PasswordInput
            name="new"
            label="New password"
            description={`At least ${passwordCharactersMin} characters`}
            autoComplete="new-password"
            minLength={passwordCharactersMin}
            maxLength={passwordCharactersMax}
            required
          />
          <Button type="submit" loading={change.isPending} w="fit-content">
            Change the password
          </Button>
        </Stack>
      </form>
    </Paper>
  )
}

function SignOutEverywhere() {
  const signOut = useMutation({ mutationFn: calls.signOutEverywhere, onSuccess: () => changeSession('signed-out') })
  return (
    <Paper withBorder p="md" maw={480}>
      <Title order={2} size="h5" mb="sm">
        Sign out everywhere
      </Title>
      <Text size="sm" mb="md">
        Ends all of your sessions, this one too: for a browser that you left open elsewhere.
      </Text>
      {signOut.error && (
        <Alert color="red" variant="light" role="alert" mb="md">
          {explain(signOut.error)}
        </Alert>
      )}
      <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate()}>
        Sign out everywhere
      </Button>
    </Paper>
  )
}
