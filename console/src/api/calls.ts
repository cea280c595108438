import type {
  AuditRecord,
  DaysAnswer,
  JobsAnswer,
  KeyRecord,
  ListedJobRecord,
  LoadRecord,
  PersonRecord,
  SessionAnswer,
  UsageRecord,
  ValuesAnswer,
  ViewRecord,
} from '../../../src/contract/console.ts'
import type { QueryBody } from '../../../src/query/query.ts'
import { request, searchOf } from './request.ts'

export type Person = PersonRecord
export type Session = SessionAnswer
export type Key = KeyRecord
type NewKey = Key & { readonly key: string }
type InvitedPerson = Person & { readonly invitation_token: string }
export type Job = ListedJobRecord
export type {
  AuditRecord as AuditEntry,
  DaysAnswer as Days,
  LoadRecord as Load,
  UsageRecord as Usage,
  ViewRecord as View,
}

/** A complete list. */
type Whole<Item> = { readonly data: readonly Item[] }
/** A page of a list. */
export type Part<Item> = Whole<Item> & { readonly next: string | null }

type Place = { readonly limit?: number; readonly before?: string }
type AuditFilter = { readonly actor?: string; readonly action?: string; readonly from?: string; readonly to?: string }
type Signal = { readonly signal: AbortSignal }

/** Calls of the console's API. Queries are in query.ts. */
export const calls = {
  session: (options: Partial<Signal>) => request<Session | undefined>('GET', '/session', options),
  signIn: (body: { email: string; password: string }) => request<Session>('POST', '/session', { body }),
  signOut: () => request<void>('DELETE', '/session'),
  signOutEverywhere: () => request<void>('DELETE', '/sessions'),
  changePassword: (body: { current_password: string; new_password: string }) =>
    request<void>('POST', '/password', { body }),
  acceptInvitation: (body: { token: string; password?: string }) =>
    request<Person & { readonly account: string }>('POST', '/invitation', { body }),

  keys: (options: Signal) => request<Whole<Key> & { readonly active_max: number }>('GET', '/keys', options),
  createKey: (name: string) => request<NewKey>('POST', '/keys', { body: { name } }),
  deleteKey: (id: string) => request<void>('DELETE', `/keys/${id}`),

  people: (place: { readonly after?: string }, options: Signal) =>
    request<Part<Person>>('GET', `/people${searchOf(place)}`, options),
  invite: (body: { email: string; role: Person['role'] }) => request<InvitedPerson>('POST', '/people', { body }),
  changeRole: (id: string, role: Person['role']) => request<Person>('PATCH', `/people/${id}`, { body: { role } }),
  removePerson: (id: string) => request<void>('DELETE', `/people/${id}`),

  audit: (filter: AuditFilter & Place, options: Signal) =>
    request<Part<AuditRecord>>('GET', `/audit${searchOf(filter)}`, options),
  usage: (options: Signal) => request<Whole<UsageRecord>>('GET', '/usage', options),

  views: (options: Signal) => request<Whole<ViewRecord>>('GET', '/views', options),
  createView: (body: { name: string; search: string }) => request<ViewRecord>('POST', '/views', { body }),
  changeView: (id: string, body: { name: string; search: string }) =>
    request<ViewRecord>('PUT', `/views/${id}`, { body }),
  deleteView: (id: string) => request<void>('DELETE', `/views/${id}`),

  jobs: (place: Place, options: Signal) => request<JobsAnswer>('GET', `/jobs${searchOf(place)}`, options),
  startJob: (cube: string, body: QueryBody) => request<Job>('POST', `/jobs${searchOf({ cube })}`, { body }),
  cancelJob: (id: string) => request<Job>('POST', `/jobs/${id}/cancel`),
  removeJob: (id: string) => request<void>('DELETE', `/jobs/${id}`),

  days: (cube: string, options: Signal) => request<DaysAnswer>('GET', `/days${searchOf({ cube })}`, options),
  loads: (cube: string, place: Place, options: Signal) =>
    request<Part<LoadRecord>>('GET', `/loads${searchOf({ cube, ...place })}`, options),
  values: (asked: { cube: string; dimension: string; search?: string }, options: Signal) =>
    request<ValuesAnswer>('GET', `/values${searchOf(asked)}`, options),
}
