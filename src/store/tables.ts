import type { Generated } from 'kysely'
import type { AuditAction } from '../contract/console.ts'

/** Times are milliseconds since 1970, days are yyyy-MM-DD: both databases store and compare them alike. */
export type Tables = {
  readonly accounts: AccountsTable
  readonly apiKeys: ApiKeysTable
  readonly people: PeopleTable
  readonly sessions: SessionsTable
  readonly views: ViewsTable
  readonly audit: AuditTable
  readonly rateStates: RateStatesTable
  readonly jobs: JobsTable
  readonly secrets: SecretsTable
  readonly loads: LoadsTable
  readonly visibleLoads: VisibleLoadsTable
  readonly retiredLoads: RetiredLoadsTable
  readonly appendedFiles: AppendedFilesTable
  readonly leases: LeasesTable
}

type AccountsTable = {
  readonly id: string
  readonly name: string
  /** The names of the cubes it may use, with commas between them. */
  readonly cubes: string
  /** Its rate limits are the ordinary ones times this. */
  readonly rateFactor: number
  readonly createdAt: number
  readonly disabledAt: number | null
  /** Another one after each change of its visible loads: the database's triggers see to it, whoever makes the change. */
  readonly loadsRevision: Generated<string>
}

type ApiKeysTable = {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** The two halves of the key's SHA-256, in hex: one to find it by, one to compare. The key itself is stored nowhere. */
  readonly selector: string
  readonly verifier: string
  readonly lastFour: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly lastUsedAt: number | null
  readonly deletedAt: number | null
}

export type Role = 'administrator' | 'member'

type PeopleTable = {
  readonly id: string
  readonly accountId: string
  /** In lower case; one person, one account. */
  readonly email: string
  readonly role: Role
  /** Null until an invitation is accepted. */
  readonly passwordHash: string | null
  readonly invitationSelector: string | null
  readonly invitationVerifier: string | null
  readonly invitationExpiresAt: number | null
  readonly createdAt: number
  readonly lastSignedInAt: number | null
}

type SessionsTable = {
  readonly selector: string
  readonly verifier: string
  readonly personId: string
  readonly createdAt: number
  readonly lastSeenAt: number
}

/** What people have saved of the console's explorer. */
type ViewsTable = {
  readonly id: string
  readonly personId: string
  readonly name: string
  /** The query part of the explorer's address. */
  readonly search: string
  readonly createdAt: number
}

/** Who changed what, written in the transaction of the change and never altered. */
type AuditTable = {
  readonly id: Generated<number>
  readonly accountId: string
  readonly at: number
  /** The e-mail address of a person, or `operator` for the command line. */
  readonly actor: string
  readonly action: AuditAction
  /** What it was done to, in words that stay readable when the thing itself is gone. */
  readonly subject: string
}

/** How many requests count against each account's rate limits, where several nodes share the count. */
type RateStatesTable = {
  readonly accountId: string
  readonly state: string
}

export type JobState = 'PROCESSING' | 'SUCCESS' | 'FAILED'

/** What a job cannot be made without, and a server may lack for a while. */
export type JobNeed = 'disk' | 'engine'

/** Reports to be made, being made and made. The table is the queue as well. */
type JobsTable = {
  readonly id: string
  readonly accountId: string
  readonly cube: string
  /** The query as it was sent, JSON. */
  readonly body: string
  readonly startDay: string
  readonly endDay: string
  readonly idempotencyKey: string | null
  readonly state: JobState
  readonly createdAt: number
  /** A job that is not done by then has failed. */
  readonly deadlineAt: number
  /** Not to be tried before. */
  readonly availableAt: number
  /** How often it was claimed. It only grows: the job and this number name a claim, and the file that it makes. */
  readonly attempts: number
  /** Those of them that ended through no fault of the job. */
  readonly excused: number
  /** Until when others leave a claimed job alone; null where nobody has it. */
  readonly leaseUntil: number | null
  /** Of a job that has failed: what it waited for until its deadline. */
  readonly waitsFor: JobNeed | null
  /** Of the first attempt. */
  readonly startedAt: number | null
  readonly finishedAt: number | null
  /** From 0 to 1. */
  readonly progress: number
  readonly file: string | null
  readonly rows: number | null
  readonly bytes: number | null
  /** SHA-256 of the CSV, in hex. */
  readonly checksum: string | null
  /** Where the blocks of CSV start in the packed file; null in reports of earlier versions. */
  readonly blocks: string | null
  readonly failureReason: string | null
  /** When a finished job and its report are removed. */
  readonly expiresAt: number | null
  /** Removed by its account: still counted, no longer shown. */
  readonly removedAt: number | null
}

/** Made once, for all nodes. */
type SecretsTable = {
  readonly name: string
  readonly value: string
}

/** `skipped` are those whose files were in already; `failed` may have left facts behind, which are swept. */
type LoadState = 'loading' | 'visible' | 'skipped' | 'failed'

/** The loads of the last 13 months, and all that show facts. */
type LoadsTable = {
  readonly id: Generated<number>
  readonly cube: string
  readonly state: LoadState
  readonly mode: 'replace' | 'append'
  readonly loadedBy: string
  /** Their names, sizes and checksums, JSON. */
  readonly files: string
  /** The columns of its facts, separated by spaces. Null where an earlier version loaded it. */
  readonly columns: string | null
  /** How many warnings there were and the first of them, JSON. Null where an earlier version loaded it. */
  readonly warnings: string | null
  readonly startedAt: number
  /** When the loader last said that it lives. */
  readonly aliveAt: number
  readonly finishedAt: number | null
  readonly rows: number | null
  readonly accounts: number | null
  readonly firstDay: string | null
  readonly lastDay: string | null
  readonly failureReason: string | null
  /** When what a failed load left in the engine was removed. */
  readonly sweptAt: number | null
}

type LoadedDaysTable = {
  readonly cube: string
  readonly accountId: string
  readonly day: string
  readonly loadId: number
}

/** Which loads make up a day of an account's cube. What is not named here does not exist for any reader. */
type VisibleLoadsTable = LoadedDaysTable & {
  /** Of the file that the load made for this day. Null where an earlier version loaded it. */
  readonly bytes: number | null
  /** SHA-256, in hex. */
  readonly checksum: string | null
  readonly rows: number | null
  /** The same of its rollup, and the columns of the dimensions in it, separated by spaces. */
  readonly rollupBytes: number | null
  readonly rollupChecksum: string | null
  readonly rollupRows: number | null
  readonly rollupHas: string | null
}

/** What was appended, to know it again for as long as it is visible. */
type AppendedFilesTable = { readonly checksum: string; readonly loadId: number }

/** What was visible and no longer is: removed from the engine once nobody can be reading it any more. */
type RetiredLoadsTable = LoadedDaysTable & { readonly retiredAt: number }

/** Work that one process at a time does for all, such as sweeping, and until when others leave it alone. */
type LeasesTable = {
  readonly name: string
  readonly holder: string
  readonly until: number
}
