/** The directory's port: reads, and changes that happen whole or not at all, each with its journal entry. */

import type { JournalNumber, RefUid, Refusal, UnixSeconds } from '@latchkey/protocol'
import type { RandomBytes } from '@latchkey/service/machine/random'
import type { Kysely } from 'kysely'
import type { Origin, Put } from './change.ts'
import type { Schema } from './schema.ts'

/** The tables with every statement, for the journal, for bookkeeping, and for connections that cannot write. */
export type Tables = Kysely<Schema>

/** The tables for those who only look. */
export type Reading = Pick<Tables, 'selectFrom'>

export interface Transaction {
  readonly tables: Reading
  /** The number of its first entry, if it makes one: the moment of everything that it changes. */
  readonly number: JournalNumber
  /** The one way to change the tables: with an entry for each change. */
  putAs(origin: Origin): Put
}

/**
 * Columns that may be written without a journal entry, because they change no permission. The
 * journal's number stays, and so do the caches that depend on it. A test has the list of files that
 * use each kind.
 */
export type Bookkeeping =
  | 'last use'
  | 'demo mark'
  | 'storage names'
  | 'held mark'
  | 'database server'
  | 'journal retention'
  | 'cut-off retention'
  | 'session seen'
  | 'device code'
  | 'refresh token'
  | 'provider token'
  | 'membership renewal'
  | 'lease'
  | 'id token use'
  | 'refused exchange'
  | 'forge claim'
  | 'forge operation'

export interface BookkeepingTransaction extends Transaction {
  readonly tables: Tables
}

export interface NumbersAbove {
  /** Somebody knows an entry with this number, which the journal may have lost: new entries get larger ones. */
  readonly above?: number
}

export interface Directory {
  read<Result>(work: (tables: Reading) => Promise<Result>): Promise<Result>
  /** Waits for no writer, and no writer waits for it; changes of others may come between its statements. */
  readBeside<Result>(work: (tables: Reading) => Promise<Result>): Promise<Result>
  /** One transaction, one at a time, also across processes; a refusal or an exception undoes it. */
  change<Result>(
    work: (transaction: Transaction) => Promise<Result | Refusal>,
    numbers?: NumbersAbove,
  ): Promise<Result | Refusal>
  note<Result>(
    what: Bookkeeping,
    work: (transaction: BookkeepingTransaction) => Promise<Result | Refusal>,
    numbers?: NumbersAbove,
  ): Promise<Result | Refusal>
}

/** The dependencies of an operation that only reads. */
export interface Work {
  readonly tables: Reading
  readonly now: UnixSeconds
  readonly randomBytes: RandomBytes
  readonly hubTokenPrefix: string
  /** Where the secrets of new hub tokens come from, if not from `randomBytes`: the demo derives its own. */
  readonly secretBytes?: RandomBytes
  /** The uid of the ref that is made, where content was stored under it before. */
  readonly newRefUid?: RefUid | undefined
  /** Whether the actor makes it as a pull request, which it may write as a reader. */
  readonly isProposed?: boolean | undefined
}

/** Rows that carry a moment have the number of the transaction that makes them. */
export interface NumberedWork extends Work, Pick<Transaction, 'number'> {}

export interface ChangeWork extends NumberedWork {
  readonly put: Put
}
