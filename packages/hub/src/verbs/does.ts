import type { VerbTable, Words } from '@latchkey/admin-api'
import type { Refusal } from '@latchkey/protocol'
import type { z } from 'zod'
import type { FindRepository } from '../access/find-repository.ts'
import type { Caller } from '../identity/caller.ts'
import type { ProviderRules } from '../identity/provider-rules.ts'
import type { KeyWork } from '../keys/key-ring.ts'
import type { Policy } from '../permission/decide-permission.ts'
import type { VerifyOwnToken } from '../revocation/report/verify-own-token.ts'
import type { ChangeWork, Work } from '../tables/directory.ts'

export interface Looking extends Work {
  /** The administrator who acts; undefined for a command on the machine itself. */
  readonly actor: Caller | undefined
  readonly findRepository: FindRepository
  readonly policy: Policy
  readonly keys: KeyWork
  readonly verifyOwnToken: VerifyOwnToken
  /** By which people sign in. */
  readonly providers: readonly ProviderRules[]
  /** The limit for administrators of a namespace. */
  readonly repositoriesPerNamespace: number
}

export interface Changing extends Looking, ChangeWork {}

/** Only a verb that is no GET gets the means to change something. */
export type Does<Verb extends Words> = (
  work: VerbTable[Verb]['method'] extends 'GET' ? Looking : Changing,
  input: z.output<VerbTable[Verb]['input']>,
) => Promise<z.input<VerbTable[Verb]['output']> | Refusal>

export interface Page<Item> {
  readonly items: Item[]
  readonly total: number
  readonly next?: string
}

/** `rows` were asked for with one more than `limit`, which tells whether there is a next page. */
export function makePage<Row, Item>(
  { rows, total, limit }: { rows: readonly Row[]; total: number; limit: number },
  show: (row: Row) => Item,
  cursor: (row: Row) => string,
): Page<Item> {
  const pageRows = rows.slice(0, limit)
  const last = pageRows.at(-1)
  return {
    items: pageRows.map(show),
    total,
    ...(rows.length > limit && last !== undefined ? { next: cursor(last) } : {}),
  }
}
