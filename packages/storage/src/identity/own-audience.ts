/** Which storage a catalogue belongs to: the audience of its tokens, noted at each start. */

import { isRefusal } from '@latchkey/protocol'
import type { CatalogDatabase } from '../catalog/catalog-database.ts'
import type { StorageTables } from '../catalog/schema.ts'

export const audienceName = 'audience'

export async function readAudience(tables: StorageTables): Promise<string | undefined> {
  const row = await tables
    .selectFrom('settings')
    .select('value')
    .where('name', '=', audienceName)
    .executeTakeFirst()
  return row?.value
}

export async function noteAudience(database: CatalogDatabase, value: string): Promise<void> {
  if ((await database.read(readAudience)) === value) return
  const noted = await database.change(async (tables) => {
    await tables
      .insertInto('settings')
      .values({ name: audienceName, value })
      .onConflict((row) => row.column('name').doUpdateSet({ value }))
      .execute()
  })
  if (isRefusal(noted)) throw new Error(noted.detail)
}
