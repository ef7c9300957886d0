/** A directory in a SQLite file as one side of a copy. */

import type { CopySource, CopyTarget } from '@latchkey/service/copy/copy-side'
import { openFileSource, openFileTarget, type SqliteKind } from '@latchkey/service/copy/sqlite-side'
import type { OpenOptions } from '@latchkey/service/database'
import { migrations } from './migrations/migrations.ts'

const kind: SqliteKind = {
  migrations,
  user: 'a hub that runs',
  isOther: (tables) => tables.has('stored_xorbs'),
  ifOther: 'holds the catalogue of a storage. Say --only storage to copy that.',
}

export function openSqliteSource(file: string): CopySource {
  return openFileSource(file, kind)
}

export function openSqliteTarget(
  file: string,
  options: Pick<OpenOptions, 'busyTimeoutMs'> = {},
): CopyTarget {
  return openFileTarget(file, kind, options)
}
