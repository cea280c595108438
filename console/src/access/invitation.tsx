import { Alert, Button, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { SubmitEvent } from 'react'
import { useLocation } from 'wouter'
import { passwordCharactersMax, passwordCharactersMin } from '../../../src/contract/forms.ts'
import { calls } from '../api/calls.ts'
import { changeSession } from '../api/query-client.ts'
import { explain } from '../parts/explain.ts'
import { textField } from '../parts/text-field.ts'
import { FrontPage } from './front-page.tsx'

/** The page of an invitation. Its token follows the `#`, which browsers do not send. */
export function Invitation() {
  const [, navigate] = useLocation()
  const token = location.hash.slice(1)
  const join = useMutation({
    mutationFn: async (password: string) => {
      const { email } = await calls.acceptInvitation({ token, password })
      return calls.signIn({ email, password })
    },
    onSuccess: (session) => {
      changeSession(session)
      navigate('/', { replace: true })
    },
  })
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    join.mutate(textField(event.currentTarget, 'password'))
  }
  return (
    <FrontPage title="Accept the invitation">
      {token === '' ? (
        <Text>The link is incomplete. Open the complete link that you received.</Text>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            {join.error && (
              <Alert color="red" variant="light" title="The invitation could not be accepted" role="alert">
                {explain(join.error)}
              </Alert>
            )}
            <PasswordInput
              name="password"
              label="Choose a password"
              description={`At least ${passwordCharactersMin} characters`}
              autoComplete="new-password"
              minLength={passwordCharactersMin}
              maxLength={passwordCharactersMax}
              required
              autoFocus
            />
            <Button type="submit" loading={join.isPending}>
              Join
            </Button>
          </Stack>
        </form>
      )}
    </FrontPage>
  )
}
