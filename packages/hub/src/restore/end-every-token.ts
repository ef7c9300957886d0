/** After a restore cut-offs may be lost, so every storage token that was issued before it ends. */

import type { Origin } from '../tables/change.ts'
import type { Directory } from '../tables/directory.ts'

/**
 * Without the old journal nobody knows which keys were removed after the backup. One that leaked must not sign again, and
 * whoever has it writes any number into a token: so every key goes, and the next start makes new ones.
 */
export async function removeEveryKey(directory: Directory, origin: Origin): Promise<void> {
  await directory.change(async ({ tables, putAs }) => {
    const keys = await tables.selectFrom('signing_keys').selectAll().execute()
    await putAs(origin)(keys.map((before) => ({ thing: 'key', before })))
  })
}

export async function endEveryToken(directory: Directory, origin: Origin): Promise<void> {
  await directory.change(async ({ putAs }) => {
    await putAs(origin)([{ thing: 'cut-off', cuts: [{ kind: 'all', id: '' }] }])
  })
}
