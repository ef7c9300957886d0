/** A directory file being planned: what the directory holds, and the changes that the file asks for so far. Nothing is written. */

import {
  type appliedDoings,
  type appliedThings,
  type DirectoryFile,
  formatInputPath,
  type InputPath,
} from '@latchkey/admin-api'
import {
  type AccountId,
  type HubTokenId,
  type Refusal,
  refuse,
  type Secret,
  type StorageName,
} from '@latchkey/protocol'
import type { Caller } from '../identity/caller.ts'
import type { Change, Origin } from '../tables/change.ts'
import type { Directory, NumberedWork, Work } from '../tables/directory.ts'
import type { AccountRow, NamespaceRow, TeamRow } from '../tables/rows.ts'
import type { PublisherAccount } from '../verbs/publisher-account.ts'
import type { Concerns } from './concerns.ts'

/** The part of a change that the response reports; the journal has more. */
export interface ReportedChange {
  readonly what: (typeof appliedThings)[number]
  readonly name: string
  readonly did: (typeof appliedDoings)[number]
}

export interface MadeHubToken {
  readonly account: string
  readonly name: string
  readonly token: Secret<'hub-token'>
}

export interface ApplyResult {
  readonly changes: readonly ReportedChange[]
  readonly hubTokens: readonly MadeHubToken[]
}

/** Changes that are never written apart from each other. */
export interface Unit {
  readonly changes: readonly Change[]
  readonly reported: readonly ReportedChange[]
}

export interface PlanWork extends NumberedWork {
  /** The administrator who applies the file; undefined for a command on the machine itself. */
  readonly actor?: Caller | undefined
}

export interface Planning {
  readonly work: PlanWork
  readonly prune: boolean
  /** Delete refs although others need their content. */
  readonly loseContent: boolean
  /** An administrator from before, enabled if there was such a one. */
  readonly administrator: AccountRow | undefined
  /** By lower-case name, as they are at this point of the plan. */
  readonly accounts: Map<string, AccountRow>
  readonly namespaces: Map<string, NamespaceRow>
  /** The service accounts of trusted publishers as they were before. */
  readonly publisherAccounts: ReadonlyMap<AccountId, PublisherAccount>
  /** By the id of their namespace, and there by lower-case name. */
  readonly teams: Map<string, Map<string, TeamRow>>
  /** The names that repositories, namespaces and hub tokens can have. */
  readonly storages: ReadonlySet<StorageName>
  /** Hub tokens that pruning revokes. */
  readonly revoked: Set<HubTokenId>
  readonly deletedRepositories: Set<string>
  /** A unit comes before the units that refer to it. */
  readonly units: Unit[]
  /** In the order of the file. */
  readonly reported: ReportedChange[]
  readonly hubTokens: MadeHubToken[]
}

/** Adds to the plan, or says what is wrong with the file. */
export type PlanSection<Entry> = (
  planning: Planning,
  entries: readonly Entry[],
) => Promise<Refusal | undefined>

export function addUnit(
  { units, reported }: Planning,
  changes: readonly Change[],
  news: readonly ReportedChange[],
): void {
  if (changes.length > 0) units.push({ changes, reported: news })
  for (const one of news) reported.push(one)
}

/** The same refusal, at its place in the file. */
export function at(path: InputPath, refusal: Refusal): Refusal {
  return { ...refusal, path: formatInputPath(path) }
}

/** Why the file cannot refer to a thing: there is none, or pruning deletes it because the file does not name it. */
export function absent(
  { reported }: Pick<Planning, 'reported'>,
  { what, name }: Pick<ReportedChange, 'what' | 'name'>,
  otherwise: Refusal,
): Refusal {
  const isPruned = reported.some(
    (change) => change.what === what && change.name === name && change.did === 'deleted',
  )
  if (!isPruned) return otherwise
  const detail = `The file refers to the ${what} "${name}" and does not name it, so that pruning deletes it. Name it under "${what}s" too.`
  return refuse('conflict', detail)
}

/** Names are matched exactly, although they are unique ignoring case. */
export function exactly<Row extends { readonly name: string }>(
  rows: ReadonlyMap<string, Row>,
  name: string,
): Row | undefined {
  const row = rows.get(name.toLowerCase())
  return row?.name === name ? row : undefined
}

export interface ApplySurroundings extends Omit<Work, 'tables'> {
  readonly directory: Directory
  /** Finds the caller anew for each plan and for each step; undefined for the machine itself. */
  readonly identify: () => Promise<Caller | Refusal | undefined>
  readonly originOf: (actor: Caller | undefined) => Origin
  /** Throws where the answer cannot be given; called before anything is written. */
  readonly checkAnswer?: (applied: ApplyResult) => void
  readonly bounds?: StepBounds
}

/** How much is written while other writers wait. */
export interface StepBounds {
  /** A plan with at most so many changes is written whole or not at all. */
  readonly wholeChanges: number
  /** A larger one goes in steps; each ends after this time. */
  readonly stepMs: number
  /** Rows of one table go together, so that many changes at once take fewer statements; a step has at least these. */
  readonly changesAtOnce: number
  /** Between two steps; long enough for other processes, which look for the lock every 25 ms on SQLite. */
  readonly pauseMs: number
}

export interface Applying extends ApplySurroundings {
  readonly bounds: StepBounds
  readonly file: DirectoryFile
  readonly prune: boolean
  readonly loseContent: boolean
  readonly concerns: Concerns
}
