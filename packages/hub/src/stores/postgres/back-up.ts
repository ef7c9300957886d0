/** A backup of a directory in PostgreSQL is a SQLite file: any machine can restore it, whatever its PostgreSQL. */

import type { PostgresSettings } from '@latchkey/service/postgres'
import { newId, pooledRandom } from '@latchkey/service/random'
import { copyDirectory } from '../copy/copy-directory.ts'
import type { CopySource } from '../copy/copy-side.ts'
import { openSqliteTarget } from '../sqlite/copy-side.ts'
import { openPostgresSource } from './copy-side.ts'

/** Of one moment, while others read and write. */
export async function backUp(settings: PostgresSettings, file: string): Promise<void> {
  const source = await openPostgresSource(settings)
  try {
    await intoFile(source, file)
  } finally {
    await source.close()
  }
}

async function intoFile(source: CopySource, file: string): Promise<void> {
  const target = openSqliteTarget(file)
  try {
    await copyDirectory({ source, target, run: newId(pooledRandom()) })
  } finally {
    await target.close()
  }
}
