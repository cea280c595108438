import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { SubmitEvent } from 'react'
import { calls } from '../api/calls.ts'
import { changeSession } from '../api/query-client.ts'
import { explain } from '../parts/explain.ts'
import { textField } from '../parts/text-field.ts'
import { findSession } from './find-session.ts'
import { FrontPage } from './front-page.tsx'

export function SignIn({ hasExpired }: { readonly hasExpired: boolean }) {
  const signIn = useMutation({
    mutationFn: async (body: { email: string; password: string }) => {
      await calls.signIn(body)
      return findSession()
    },
    onSuccess: changeSession,
  })
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = event.currentTarget
    signIn.mutate({ email: textField(form, 'email'), password: textField(form, 'password') })
  }
  return (
    <FrontPage title="Sign in">
      <form onSubmit={submit}>
        <Stack>
          {hasExpired && !signIn.error && (
            <Alert color="yellow" variant="light" title="Your session has ended">
              Sign in again to go on where you were.
            </Alert>
          )}
          {signIn.error && (
            <Alert color="red" variant="light" title="Sign-in failed" role="alert">
              {explain(signIn.error)}
            </Alert>
          )}
          <TextInput name="email" type="email" label="E-mail" autoComplete="username" required autoFocus />
          <PasswordInput name="password" label="Password" autoComplete="current-password" required />
          <Button type="submit" loading={signIn.isPending}>
            Sign in
          </Button>
        </Stack>
      </form>
    </FrontPage>
  )
}
