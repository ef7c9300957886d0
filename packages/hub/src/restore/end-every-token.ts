/** After a restore cut-offs may be lost, so every storage token that was issued before it ends. */

import type { Origin } from '../directory/port/change.ts'
import type { Directory } from '../directory/port/directory.ts'

export async function endEveryToken(directory: Directory, origin: Origin): Promise<void> {
  await directory.change(async ({ putAs }) => {
    await putAs(origin)([{ thing: 'cut-off', cuts: [{ kind: 'all', id: '' }] }])
  })
}
