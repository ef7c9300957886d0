/** Whether an older copy of the database was put back, and which hub tokens may work again since then. */

import { type Check, type Finding, good, skipped, spanOf, warning } from '@latchkey/service/checks'
import { inspectRollback, rollbackAdvice } from '../rollback/answer-rollback.ts'
import { readKeptNumber } from '../rollback/kept-number.ts'
import type { HubInstallation } from './installation.ts'
import { withStore } from './with-store.ts'

/** An operator who has not looked by then does not read this. */
const reportedMs = 30 * 24 * 3_600_000

export const rollback: Check<HubInstallation> = {
  name: 'rollback',
  run: (installation) =>
    withStore(installation, async (read) => {
      const { settings } = installation
      const [kept, nowMs] = [readKeptNumber(settings.data), installation.nowMs()]
      const { lost, answered, hubTokens } = await read((tables) =>
        inspectRollback(tables, { kept, nowMs }),
      )
      const named = namesOf(hubTokens)
      if (lost !== undefined) {
        return [
          warning(
            `the database was rolled back: it lacks the entries above ${lost.after}, up to ${lost.through}; ${named}`,
            `The next start of a hub ends every storage token. ${rollbackAdvice}`,
          ),
        ]
      }
      if (answered !== undefined && nowMs - answered.at_milliseconds < reportedMs) {
        const since = spanOf(nowMs - answered.at_milliseconds)
        return [
          warning(
            `the database was rolled back, and every storage token was ended ${since} ago; entries above ${answered.lost.after}, up to ${answered.lost.through}, are lost; ${named}`,
            rollbackAdvice,
          ),
        ]
      }
      return [ofKept(kept)]
    }),
}

function ofKept(kept: number | undefined): Finding {
  if (kept === undefined) return skipped('no hub has kept the number of its journal here yet')
  return good(`the journal has entry ${kept}, the last that this data directory knows of`)
}

function namesOf({ count, some }: { readonly count: number; readonly some: readonly string[] }) {
  if (count === 0) return 'no hub token of before is live'
  const rest = count - some.length
  const more = rest > 0 ? `, and ${rest} more that "latchkey hub-token list --all" shows` : ''
  return `${count} hub tokens of before may be live again: ${some.join(', ')}${more}`
}
