import type { JobsAnswer, ListedJobRecord, ValuesAnswer } from '../../../src/contract/answers.ts'
import type {
  accountShape,
  AuditShape,
  DaysShape,
  keyShape,
  LoadShape,
  personShape,
  UsageShape,
  ViewShape,
} from '../../../src/http/console/shapes.ts'
import type { QueryBody } from '../../../src/query/query.ts'
import { request, searchOf } from './request.ts'

export type Person = ReturnType<typeof personShape>
type Account = ReturnType<typeof accountShape>
export type Session = { readonly person: Person; readonly account: Account }
export type Key = ReturnType<typeof keyShape>
type NewKey = Key & { readonly key: string }
type InvitedPerson = Person & { readonly invitation_token: string }
export type Job = ListedJobRecord
export type { AuditShape as AuditEntry, DaysShape as Days, LoadShape as Load, UsageShape as Usage, ViewShape as View }

/** A list that is whole. */
type Whole<Item> = { readonly data: readonly Item[] }
/** A part of a list. */
export type Part<Item> = Whole<Item> & { readonly next: string | null }

type Place = { readonly limit?: number; readonly before?: string }
type AuditFilter = { readonly actor?: string; readonly action?: string; readonly from?: string; readonly to?: string }
type Signal = { readonly signal: AbortSignal }

/** Every call of the console's API that pages make, by what it is for. Queries are in query.ts. */
export const calls = {
  session: (options: Signal) => request<Session | undefined>('GET', '/session', options),
  signIn: (body: { email: string; password: string }) => request<Session>('POST', '/session', { body }),
  signOut: () => request<void>('DELETE', '/session'),
  signOutEverywhere: () => request<void>('DELETE', '/sessions'),
  changePassword: (body: { current_password: string; new_password: string }) =>
    request<void>('POST', '/password', { body }),
  acceptInvitation: (body: { token: string; password: string }) => request<Person>('POST', '/invitation', { body }),

  keys: (options: Signal) => request<Whole<Key> & { readonly active_max: number }>('GET', '/keys', options),
  createKey: (name: string) => request<NewKey>('POST', '/keys', { body: { name } }),
  deleteKey: (id: string) => request<void>('DELETE', `/keys/${id}`),

  people: (place: { readonly after?: string }, options: Signal) =>
    request<Part<Person>>('GET', `/people${searchOf(place)}`, options),
  invite: (body: { email: string; role: Person['role'] }) => request<InvitedPerson>('POST', '/people', { body }),
  changeRole: (id: string, role: Person['role']) => request<Person>('PATCH', `/people/${id}`, { body: { role } }),
  removePerson: (id: string) => request<void>('DELETE', `/people/${id}`),

  audit: (filter: AuditFilter & Place, options: Signal) =>
    request<Part<AuditShape>>('GET', `/audit${searchOf(filter)}`, options),
  usage: (options: Signal) => request<Whole<UsageShape>>('GET', '/usage', options),

  views: (options: Signal) => request<Whole<ViewShape>>('GET', '/views', options),
  createView: (body: { name: string; search: string }) => request<ViewShape>('POST', '/views', { body }),
  changeView: (id: string, body: { name: string; search: string }) =>
    request<ViewShape>('PUT', `/views/${id}`, { body }),
  deleteView: (id: string) => request<void>('DELETE', `/views/${id}`),

  jobs: (place: Place, options: Signal) => request<JobsAnswer>('GET', `/jobs${searchOf(place)}`, options),
  startJob: (cube: string, body: QueryBody) => request<Job>('POST', `/jobs${searchOf({ cube })}`, { body }),
  cancelJob: (id: string) => request<Job>('POST', `/jobs/${id}/cancel`),
  removeJob: (id: string) => request<void>('DELETE', `/jobs/${id}`),

  days: (cube: string, options: Signal) => request<DaysShape>('GET', `/days${searchOf({ cube })}`, options),
  loads: (cube: string, place: Place, options: Signal) =>
    request<Part<LoadShape>>('GET', `/loads${searchOf({ cube, ...place })}`, options),
  values: (asked: { cube: string; dimension: string; search?: string }, options: Signal) =>
    request<ValuesAnswer>('GET', `/values${searchOf(asked)}`, options),
}
