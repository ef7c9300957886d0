/** The directory's port: reads, and changes that happen whole or not at all. */

import type { Refusal, UnixSeconds } from '@latchkey/protocol'
import type { RandomBytes } from '@latchkey/service/random'
import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

export type Tables = Kysely<Schema>

export interface Directory {
  read<Result>(work: (tables: Tables) => Promise<Result>): Promise<Result>
  /** One transaction, one at a time; a refusal or an exception undoes it. */
  change<Result>(work: (tables: Tables) => Promise<Result | Refusal>): Promise<Result | Refusal>
}

/** What an operation on the directory works with. */
export interface Work {
  readonly tables: Tables
  readonly now: UnixSeconds
  readonly randomBytes: RandomBytes
  readonly hubTokenPrefix: string
}
