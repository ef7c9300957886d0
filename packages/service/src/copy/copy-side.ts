/** The two databases of a copy, whatever kind each is of. */

import type { Kysely } from 'kysely'
import type { WriterQueue } from '../database/writer-queue.ts'

/** The tables for code that treats all alike. */
export type AnySchema = Record<string, Record<string, unknown>>
export type AnyTables = Kysely<AnySchema>

/** All reads of one `read` find the rows of one moment. */
export interface CopySource extends Pick<WriterQueue<AnySchema>, 'read'> {
  /** In words for people, without a password. */
  readonly place: string
  close(): Promise<void>
}

/** The copy is one `change`. */
export interface CopyTarget extends Pick<WriterQueue<AnySchema>, 'change'> {
  readonly place: string
  /** In the same transaction, when every row is there. */
  finish(tables: AnyTables): Promise<void>
  close(): Promise<void>
}

/** The copy is not made; the message is one line for the operator. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused'
}
