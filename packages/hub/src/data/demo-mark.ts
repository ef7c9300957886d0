/** Demo data and real data never share a directory. */

import { CannotStart } from '@latchkey/service/machine/cannot-start'
import type { Directory, Reading } from '../tables/directory.ts'

export async function claimForDemo(directory: Directory, data: string): Promise<void> {
  await directory.note('demo mark', async ({ tables }) => {
    if (await isDemoData(tables)) return
    if (await isInUse(tables)) {
      throw new CannotStart(
        `the data directory ${data} holds real data, so the demo does not touch it. Choose another with --data.`,
      )
    }
    await tables.insertInto('settings').values({ name: 'demo', value: 'yes' }).execute()
  })
}

export async function refuseDemoData(
  directory: Pick<Directory, 'read'>,
  data: string,
): Promise<void> {
  if (!(await directory.read(isDemoData))) return
  throw new CannotStart(
    `the data directory ${data} holds demo data. Start it with --demo, or choose another with --data.`,
  )
}

export async function refuseRealData(directory: Directory, data: string): Promise<void> {
  if (await directory.read(isDemoData)) return
  throw new CannotStart(
    `the data directory ${data} holds no demo. Start one with "latchkey serve --demo", or name its directory with --data.`,
  )
}

async function isInUse(tables: Reading): Promise<boolean> {
  const account = await tables.selectFrom('accounts').select('id').limit(1).executeTakeFirst()
  const key = await tables.selectFrom('signing_keys').select('kid').limit(1).executeTakeFirst()
  return account !== undefined || key !== undefined
}

export async function isDemoData(tables: Reading): Promise<boolean> {
  const row = await tables
    .selectFrom('settings')
    .select('value')
    .where('name', '=', 'demo')
    .executeTakeFirst()
  return row !== undefined
}
