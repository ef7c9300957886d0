/** The two databases of a copy, whatever kind each is of. */

import type { WriterQueue } from '@latchkey/service/database'
import type { Tables } from '../../directory/port/directory.ts'
import type { Schema } from '../../directory/port/schema.ts'

/** All reads of one `read` find the rows of one moment. */
export interface CopySource extends Pick<WriterQueue<Schema>, 'read'> {
  /** In words for people, without a password. */
  readonly place: string
  close(): Promise<void>
}

export interface CopyTarget extends WriterQueue<Schema> {
  readonly place: string
  /** In the last transaction, when every row is there. */
  finish(tables: Tables): Promise<void>
  close(): Promise<void>
}

/** The copy is not made; the message is one line for the operator. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused'
}
