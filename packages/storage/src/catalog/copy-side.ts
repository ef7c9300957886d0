/** A catalogue in a file as one side of a copy. */

import type { CopySource, CopyTarget } from '@latchkey/service/copy/copy-side'
import { openFileSource, openFileTarget, type SqliteKind } from '@latchkey/service/copy/sqlite-side'
import { migrations } from './migrations/migrations.ts'

const kind: SqliteKind = {
  migrations,
  user: 'a storage that runs',
  isOther: (tables) => tables.has('accounts'),
  ifOther: 'holds the directory of a hub. Leave out --only storage to copy that.',
}

export function openSqliteSource(file: string): CopySource {
  return openFileSource(file, kind)
}

export function openSqliteTarget(file: string): CopyTarget {
  return openFileTarget(file, kind)
}
