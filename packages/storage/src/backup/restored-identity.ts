/**
 * A backup has no incarnation, so that what is restored from it does not pass for the original. Where a restore brings
 * the objects too, they are its own.
 */

import { DatabaseSync } from 'node:sqlite'
import { openDatabase, tablesOf } from '@latchkey/service/database'
import { pooledRandom } from '@latchkey/service/machine/random'
import { systemClock } from '@latchkey/service/machine/time'
import { migrations } from '../catalog/migrations/migrations.ts'
import type { StorageSchema } from '../catalog/schema.ts'
import { adoptStore } from '../identity/adopt-store.ts'
import { identityName } from '../identity/identity-row.ts'
import { objectsIn, openObjects } from '../objects/open-objects.ts'

/** `catalogue` is the file in a backup. */
export function dropIncarnation(catalogue: string): void {
  const database = new DatabaseSync(catalogue)
  try {
    database
      .prepare("UPDATE settings SET value = json_remove(value, '$.incarnation') WHERE name = ?")
      .run(identityName)
  } finally {
    database.close()
  }
}

/** Before anybody has the restored catalogue open. */
export async function adoptRestored(catalogue: string, data: string): Promise<void> {
  const objects = await openObjects(objectsIn(data))
  const file = openDatabase(catalogue, migrations)
  const tables = tablesOf<StorageSchema>(file)
  const database = {
    read: <Result>(work: (read: typeof tables) => Promise<Result>) => work(tables),
    change: <Result>(work: (changed: typeof tables) => Promise<Result>) => work(tables),
  }
  try {
    const deps = { objects, database, clock: systemClock, randomBytes: pooledRandom() }
    if (await adoptStore(deps)) return
    throw new Error(`another process uses the objects in ${data} at this moment`)
  } finally {
    file.close()
    await objects.close()
  }
}
