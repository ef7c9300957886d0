/** What every store offers, whatever database is behind it. */

import type { AccessStore } from '../access/access-store.ts'
import type { Directory, Tables } from '../directory/port/directory.ts'

export interface Store {
  readonly directory: Directory
  /** Reads what is committed, beside whatever is being changed. */
  readonly readBeside: <Result>(work: (tables: Tables) => Promise<Result>) => Promise<Result>
  /** The questions of the hot path, asked beside whatever is being changed. */
  readonly access: AccessStore
  /** Whether the database answers; asked beside whatever is being changed. */
  isReady(): Promise<boolean>
  /** Writes a consistent copy of everything while others read and write. */
  backup(file: string): Promise<void>
  close(): void
}
