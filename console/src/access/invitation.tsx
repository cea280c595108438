import { Alert, Button, Divider, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { SubmitEvent } from 'react'
import { passwordCharactersMax, passwordCharactersMin } from '../../../src/contract/forms.ts'
import { addressOf } from '../api/account.ts'
import { calls } from '../api/calls.ts'
import { sessionKey } from '../api/query-client.ts'
import { explain } from '../parts/explain.ts'
import { textField } from '../parts/text-field.ts'
import { findSession } from './find-session.ts'
import { FrontPage } from './front-page.tsx'

/**
 * The page of an invitation. Its token follows the `#`, which browsers do not send. One form serves those who have a
 * password for the invited address and those who choose one, so that the page does not tell the two apart.
 */
export function Invitation() {
  const token = location.hash.slice(1)
  const session = useQuery({ queryKey: sessionKey, queryFn: ({ signal }) => findSession({ signal }) })
  const email = typeof session.data === 'object' ? session.data.person.email : undefined
  const join = useMutation({
    mutationFn: async (password?: string) => {
      const joined = await calls.acceptInvitation(password === undefined ? { token } : { token, password })
      if (password !== undefined) await calls.signIn({ email: joined.email, password })
      const { accounts } = (await calls.session({}))!
      // A page without the token, and without anything of an earlier session.
      location.replace(`${addressOf(accounts.length > 1 ? joined.account : undefined)}/`)
    },
  })
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    join.mutate(textField(event.currentTarget, 'password'))
  }
  if (token === '') {
    return (
      <FrontPage title="Accept the invitation">
        <Text>The link is incomplete. Open the complete link that you received.</Text>
      </FrontPage>
    )
  }
  return (
    <FrontPage title="Accept the invitation">
      <Stack>
        {join.error && (
          <Alert color="red" variant="light" title="The invitation could not be accepted" role="alert">
            {explain(join.error)}
          </Alert>
        )}
        {email !== undefined && (
          <>
            <Text size="sm" className="name">
              You are signed in as <b>{email}</b>.
            </Text>
            <Button loading={join.isPending} onClick={() => join.mutate(undefined)}>
              Join with this sign-in
            </Button>
            <Divider label="or with another address" />
          </>
        )}
        <form onSubmit={submit}>
          <Stack>
            <PasswordInput
              name="password"
              label="Your password, or a new one if you are new here"
              description={`At least ${passwordCharactersMin} characters. If you use Adcube with the invited address already, enter the password that you have.`}
              autoComplete="current-password"
              minLength={passwordCharactersMin}
              maxLength={passwordCharactersMax}
              required
              autoFocus
            />
            <Button type="submit" variant={email === undefined ? 'filled' : 'default'} loading={join.isPending}>
              Join
            </Button>
          </Stack>
        </form>
      </Stack>
    </FrontPage>
  )
}
