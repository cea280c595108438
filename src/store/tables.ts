import type { Generated } from 'kysely'
import type { AuditAction } from '../contract/console.ts'

/** The tables, in camelCase. Times are milliseconds since 1970, days yyyy-MM-DD: both databases compare them alike. */
export type Tables = {
  readonly accounts: AccountsTable
  readonly apiKeys: ApiKeysTable
  readonly people: PeopleTable
  readonly memberships: MembershipsTable
  readonly signInAddresses: SignInAddressesTable
  readonly sessions: SessionsTable
  readonly views: ViewsTable
  readonly audit: AuditTable
  readonly rateStates: RateStatesTable
  readonly jobs: JobsTable
  readonly secrets: SecretsTable
  readonly loads: LoadsTable
  readonly stagedDays: StagedDaysTable
  readonly visibleLoads: VisibleLoadsTable
  readonly retiredLoads: RetiredLoadsTable
  readonly appendedFiles: AppendedFilesTable
  readonly leases: LeasesTable
  readonly clockChecks: ClockChecksTable
  readonly fileChecks: FileChecksTable
  readonly damagedFiles: DamagedFilesTable
  readonly backups: BackupsTable
}

type AccountsTable = {
  readonly id: string
  readonly name: string
  /** The names of the cubes that it may use, separated by commas. */
  readonly cubes: string
  /** Multiplies the ordinary rate limits. */
  readonly rateFactor: number
  readonly createdAt: number
  readonly disabledAt: number | null
  /** Triggers of the database replace it with each change of the account's visible loads. */
  readonly loadsRevision: Generated<string>
}

type ApiKeysTable = {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** The halves of the key's SHA-256, in hex: one to find it, one to compare. The key itself is not stored. */
  readonly selector: string
  readonly verifier: string
  readonly lastFour: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly lastUsedAt: number | null
  readonly deletedAt: number | null
}

export type Role = 'administrator' | 'member'

/** Sign-ins: one for each e-mail address, whatever the number of accounts. The last membership takes it along. */
type PeopleTable = {
  readonly id: string
  /** In lower case. */
  readonly email: string
  /** Null while there are only invitations that nobody has accepted. */
  readonly passwordHash: string | null
  readonly createdAt: number
  /** For processes of earlier versions, where a person had one account. Only triggers change them. */
  readonly accountId: string
  readonly role: ''
}

/** The people of an account. */
type MembershipsTable = {
  readonly id: string
  readonly personId: string
  readonly accountId: string
  readonly role: Role
  /** Null once the invitation is accepted. */
  readonly invitationSelector: string | null
  readonly invitationVerifier: string | null
  readonly invitationExpiresAt: number | null
  readonly createdAt: number
  readonly lastSignedInAt: number | null
}

/** The IP addresses from which a person has signed in. See access/known-addresses. */
type SignInAddressesTable = {
  readonly digest: string
  readonly personId: string
  readonly signedInAt: number
}

type SessionsTable = {
  readonly selector: string
  readonly verifier: string
  readonly personId: string
  readonly createdAt: number
  readonly lastSeenAt: number
}

/** Queries of the console's explorer that people have saved. */
type ViewsTable = {
  readonly id: string
  readonly personId: string
  readonly membershipId: string
  readonly name: string
  /** The query string of the explorer's URL. */
  readonly search: string
  readonly createdAt: number
}

/** The audit trail: written in the transaction of the change, and never altered. */
type AuditTable = {
  readonly id: Generated<number>
  readonly accountId: string
  readonly at: number
  /** The e-mail address of a person, or `operator` for the command line. */
  readonly actor: string
  readonly action: AuditAction
  /** The changed thing, in words that stay readable after it is deleted. */
  readonly subject: string
}

/** Requests that count against rate limits, if several nodes share PostgreSQL. See access/count-in-store. */
type RateStatesTable = {
  readonly accountId: string
  readonly state: string
}

export type JobState = 'PROCESSING' | 'SUCCESS' | 'FAILED'

/** A resource that a job needs and that may be missing for a while. */
export type JobNeed = 'disk' | 'engine'

/** Jobs of all states. The table is also the queue. */
type JobsTable = {
  readonly id: string
  readonly accountId: string
  readonly cube: string
  /** The query as it was sent, as JSON. */
  readonly body: string
  readonly startDay: string
  readonly endDay: string
  readonly idempotencyKey: string | null
  readonly state: JobState
  readonly createdAt: number
  /** The job fails if it is not done by then. */
  readonly deadlineAt: number
  /** The next attempt starts at this time or later; for a job that is claimed, when its claim ends. */
  readonly availableAt: number
  /** The number of jobs that the account had started within a day before. */
  readonly turn: Generated<number>
  /** The number of claims. It only grows: job and number identify a claim, and name its file. */
  readonly attempts: number
  /** Attempts that failed through no fault of the job. */
  readonly excused: number
  /** The end of the claim; null if the job is not claimed. */
  readonly leaseUntil: number | null
  /** The missing resource that the job waits for, or waited for until its deadline. */
  readonly waitsFor: JobNeed | null
  /** The start of the first attempt. */
  readonly startedAt: number | null
  readonly finishedAt: number | null
  /** From 0 to 1. */
  readonly progress: number
  readonly file: string | null
  readonly rows: number | null
  readonly bytes: number | null
  /** SHA-256 of the CSV, in hex. */
  readonly checksum: string | null
  /** Offsets of the blocks of CSV in the compressed file; null in reports of earlier versions. */
  readonly blocks: string | null
  readonly failureReason: string | null
  /** The finished job and its report are deleted then. */
  readonly expiresAt: number | null
  /** Set if the account removed the job: it still counts, but is no longer shown. */
  readonly removedAt: number | null
}

/** Generated once, and shared by all nodes. */
type SecretsTable = {
  readonly name: string
  readonly value: string
}

/** `skipped`: its files were appended before. `failed`: it may have left facts behind, which are swept. */
type LoadState = 'loading' | 'visible' | 'skipped' | 'failed'

/** The loads of the last 13 months, and older ones with visible facts. */
type LoadsTable = {
  readonly id: Generated<number>
  readonly cube: string
  readonly state: LoadState
  readonly mode: 'replace' | 'append'
  readonly loadedBy: string
  /** Names, sizes and checksums, as JSON. */
  readonly files: string
  /** The columns of its facts, separated by spaces. Null if an earlier version loaded it. */
  readonly columns: string | null
  /** The number of warnings and the first of them, as JSON. Null if an earlier version loaded it. */
  readonly warnings: string | null
  readonly startedAt: number
  /** The loader's last sign of life. */
  readonly aliveAt: number
  readonly finishedAt: number | null
  readonly rows: number | null
  readonly accounts: number | null
  readonly firstDay: string | null
  readonly lastDay: string | null
  readonly failureReason: string | null
  /** Set when the facts that a failed load left in the engine were removed. */
  readonly sweptAt: number | null
}

type LoadedDaysTable = {
  readonly cube: string
  readonly accountId: string
  readonly day: string
  readonly loadId: number
}

/** The record of the files of a load's day. */
type RecordedFiles = {
  /** The size of the load's file for this day. Null if an earlier version loaded it. */
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

/** Days that a load is about to make visible. */
type StagedDaysTable = Omit<LoadedDaysTable, 'cube'> & RecordedFiles

/** The loads that make up a day of an account's cube. Facts of other loads are not visible to any query. */
type VisibleLoadsTable = LoadedDaysTable & RecordedFiles

/** Appended files, to refuse them a second time while they are visible. */
type AppendedFilesTable = { readonly checksum: string; readonly loadId: number }

/** Days that were replaced or are too old. Their facts are removed when no query can be reading them any more. */
type RetiredLoadsTable = LoadedDaysTable &
  RecordedFiles & {
    /** When a day was replaced. For a day that became too old, a day later, because its facts stay for longer. */
    readonly retiredAt: number
    /** 1 if the day was too old, and becomes visible again if the clock turns out to have been ahead. */
    readonly byAge: Generated<number>
  }

/** One row: the judgement of the clock by which records are deleted. See store/deletion-hold. */
type ClockChecksTable = {
  readonly id: number
  /** The last time that was believed. Null in a new installation. */
  readonly trustedAt: number | null
  /** Set while the time is not believed. */
  readonly heldSince: number | null
  readonly checkedAt: number
}

/** Leases on work that one process at a time does for all, such as sweeps. */
type LeasesTable = {
  readonly name: string
  readonly holder: string
  readonly until: number
}

/** How far the stored files have been checked. One row. */
type FileChecksTable = {
  readonly name: string
  /** The last day that was checked. Days are checked in the order of these three; empty before the first. */
  readonly accountId: string
  readonly cube: string
  readonly day: string
  /** The size of all files, and when it was counted. */
  readonly bytes: number
  readonly countedAt: number
  /** How much is to be read now; negative after a large file. */
  readonly bytesDue: number
  readonly checkedAt: number
}

/** Stored files that differ from their record. */
type DamagedFilesTable = LoadedDaysTable & {
  /** The path below the folder of facts. */
  readonly place: string
  readonly reason: string
  readonly foundAt: number
  readonly checkedAt: number
}

/** The end of the last backup in each folder. */
type BackupsTable = {
  readonly folder: string
  readonly finishedAt: number
}
