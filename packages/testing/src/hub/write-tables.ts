/** Writes to the hub's tables past its rules, as an import or another program might; caches notice it. */

import type { Directory, Tables } from '@latchkey/hub/management'

export async function writeTables<Result>(
  directory: Directory,
  work: (tables: Tables) => Promise<Result>,
): Promise<void> {
  await directory.note('demo mark', async ({ tables, putAs }) => {
    await work(tables)
    await putAs({ verb: 'test' })([{ thing: 'hub' }])
  })
}
