import type { accountShape, personShape } from '../../../src/http/shapes.ts'
import { request } from './request.ts'

export type Person = ReturnType<typeof personShape>
export type Account = ReturnType<typeof accountShape>
export type Session = { readonly person: Person; readonly account: Account }

type Signal = { readonly signal: AbortSignal }

/** Every call of the console's API that pages make, by what it is for. */
export const calls = {
  session: (options: Signal) => request<Session | undefined>('GET', '/session', options),
  signIn: (body: { email: string; password: string }) => request<Session>('POST', '/session', { body }),
  signOut: () => request<void>('DELETE', '/session'),
  signOutEverywhere: () => request<void>('DELETE', '/sessions'),
  changePassword: (body: { current_password: string; new_password: string }) =>
    request<void>('POST', '/password', { body }),
  acceptInvitation: (body: { token: string; password: string }) => request<Person>('POST', '/invitation', { body }),
}
