/** What every store offers, whatever database is behind it. */

import type { Directory, Tables } from '../directory/port/directory.ts'
import type { FindAccess, FindRepository } from '../permission/access-facts.ts'

export interface Store {
  readonly directory: Directory
  /** Reads what is committed, beside whatever is being changed. */
  readonly readBeside: <Result>(work: (tables: Tables) => Promise<Result>) => Promise<Result>
  readonly findAccess: FindAccess
  readonly findRepository: FindRepository
  /** Every hub token prefix ever configured. */
  readonly knownPrefixes: () => ReadonlySet<string>
  /** Whether the database answers; asked beside whatever is being changed. */
  isReady(): Promise<boolean>
  /** Writes a consistent copy of everything while others read and write. */
  backup(file: string): Promise<void>
  close(): void
}
