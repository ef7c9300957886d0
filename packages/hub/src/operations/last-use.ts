/** When hub tokens were last used, kept in memory and written down once in a while. */

import type { UnixSeconds } from '@latchkey/protocol'
import type { Directory } from '../directory/directory.ts'

export interface LastUse {
  note(hubTokenId: string, now: UnixSeconds): void
  /** Writes what was noted since the last time, in one transaction. */
  writeDown(): Promise<void>
}

export function lastUse(directory: Directory): LastUse {
  const noted = new Map<string, UnixSeconds>()
  return {
    note: (hubTokenId, now) => noted.set(hubTokenId, now),
    async writeDown() {
      if (noted.size === 0) return
      const moments = [...noted]
      noted.clear()
      await directory.change(async (tables) => {
        for (const [id, moment] of moments) {
          await tables
            .updateTable('hub_tokens')
            .set({ last_used_at: moment })
            .where('id', '=', id)
            .execute()
        }
      })
    },
  }
}
