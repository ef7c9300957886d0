/** When hub tokens were last used, kept in memory and written down once in a while. */

import type { HubTokenId, UnixSeconds } from '@latchkey/protocol'
import { yieldInLoop } from '@latchkey/service/limits/slices'
import type { Directory, Tables } from '../tables/directory.ts'

export interface LastUse {
  note(hubTokenId: HubTokenId, now: UnixSeconds): void
  /** Writes what was noted since the last time, in one transaction. */
  writeDown(): Promise<void>
}

export function lastUse(directory: Directory): LastUse {
  let noted = new Map<HubTokenId, UnixSeconds>()
  return {
    note: (hubTokenId, now) => noted.set(hubTokenId, now),
    async writeDown() {
      if (noted.size === 0) return
      const moments = noted
      noted = new Map()
      try {
        await directory.note('last use', ({ tables }) => recordAll(tables, moments))
      } catch (error) {
        // What could not be written is written the next time; what was noted since is newer.
        noted = new Map([...moments, ...noted])
        throw error
      }
    },
  }
}

/** Another hub may have written a later moment. */
async function recordAll(
  tables: Tables,
  moments: ReadonlyMap<HubTokenId, UnixSeconds>,
): Promise<void> {
  for (const [index, [id, moment]] of [...moments].entries()) {
    await yieldInLoop(index)
    await tables
      .updateTable('hub_tokens')
      .set({ last_used_at: moment })
      .where('id', '=', id)
      .where((row) => row.or([row('last_used_at', 'is', null), row('last_used_at', '<', moment)]))
      .execute()
  }
}
