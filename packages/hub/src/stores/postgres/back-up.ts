/** A backup of a directory in PostgreSQL is a SQLite file: any machine can restore it, whatever its PostgreSQL. */

import { copyBetween } from '@latchkey/service/copy/copy-between'
import type { PostgresSettings } from '@latchkey/service/postgres'
import { copiedDirectory } from '../copy/copied-directory.ts'
import { openSqliteTarget } from '../sqlite/copy-side.ts'
import { openPostgresSource } from './copy-side.ts'

/** Of one moment, while others read and write. */
export async function backUp(settings: PostgresSettings, file: string): Promise<void> {
  await copyBetween(copiedDirectory, {
    openSource: () => openPostgresSource(settings),
    openTarget: async () => openSqliteTarget(file),
  })
}
