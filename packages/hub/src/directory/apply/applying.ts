/** A directory file on its way into the directory: what has been found, changed and made so far. */

import {
  type appliedDoings,
  type appliedThings,
  formatInputPath,
  type InputPath,
} from '@latchkey/admin-api'
import { type Refusal, refuse, type Secret } from '@latchkey/protocol'
import type { Caller } from '../../identity/caller.ts'
import type { ChangeWork } from '../port/directory.ts'
import type { AccountRow, NamespaceRow } from '../port/rows.ts'

/** What the answer says of a change; the journal says more. */
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

export interface Applied {
  readonly changes: ReportedChange[]
  readonly hubTokens: MadeHubToken[]
}

export interface ApplyWork extends ChangeWork {
  /** The administrator who applies the file; undefined for a command on the machine itself. */
  readonly actor?: Caller | undefined
}

export interface Applying extends Applied {
  readonly work: ApplyWork
  readonly prune: boolean
  /** An administrator from before, enabled if there was such a one. */
  readonly administrator: AccountRow | undefined
  /** By lower-case name, as they are at this point of the work. */
  readonly accounts: Map<string, AccountRow>
  readonly namespaces: Map<string, NamespaceRow>
}

/** A step changes something, or says what is wrong with the file. */
export type ApplyStep<Section> = (
  applying: Applying,
  section: readonly Section[],
) => Promise<Refusal | undefined>

/** The same refusal, at its place in the file. */
export function at(path: InputPath, refusal: Refusal): Refusal {
  return { ...refusal, path: formatInputPath(path) }
}

/** Why the file cannot refer to a thing: there is none, or pruning has just deleted it because the file does not name it. */
export function absent(
  { changes }: Applied,
  { what, name }: Pick<ReportedChange, 'what' | 'name'>,
  otherwise: Refusal,
): Refusal {
  const isPruned = changes.some(
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
