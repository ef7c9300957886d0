/** After a kill there is an entry in the journal exactly where there is a change in the tables. */

import type { Dump } from '@latchkey/testing/hub/dump'
import { replayJournal } from '@latchkey/testing/hub/replay-journal'
import { expect } from 'vitest'

export function expectToldByJournal(left: Dump): void {
  const { told, held } = replayJournal(left)
  expect(told).toEqual(held)
}
