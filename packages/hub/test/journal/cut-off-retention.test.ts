/** A running hub removes cut-offs once no storage token can be alive that they would end. */

import { unixSeconds } from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, test } from 'vitest'
import { openStore, startHub } from '../../src/index.ts'
import { pruneCutOffs } from '../../src/journal/prune-journal.ts'
import { keepHouse } from '../../src/operations/housekeeping.ts'
import { openDirectory } from '../verbs/open-directory.ts'

const hour = 3600

/** The kinds that are left when a hub has started so many hours after the cut, and what it logged. */
async function hoursAfterCut(hours: number) {
  const settings = testSettings(temporaryFolder())
  const store = await openStore(settings, { create: true })
  await store.directory.change(({ putAs }) =>
    putAs({ verb: 'test' })([
      {
        thing: 'cut-off',
        cuts: [
          { kind: 'account', id: 'ada' },
          { kind: 'key', id: 'kid' },
        ],
      },
    ]),
  )
  const logged: string[] = []
  const hub = await startHub(settings, {
    clock: () => unixSeconds(systemClock() + hours * hour),
    lines: { write: (line) => logged.push(line), async close() {} },
  })
  await hub.stop()
  const rows = await store.directory.read((tables) =>
    tables.selectFrom('cut_offs').select('kind').orderBy('kind').execute(),
  )
  store.close()
  return { left: rows.map(({ kind }) => kind), logged: logged.join('') }
}

test('a cut-off is gone after a start once the longest token has ended, and that of a key never', async () => {
  const { left, logged } = await hoursAfterCut(26)
  expect(left).toEqual(['key'])
  expect(logged).toContain('"event":"revocation_entries_pruned","entries":1')
})

test('a cut-off that may still end a token stays', async () => {
  const { left, logged } = await hoursAfterCut(24)
  expect(left).toEqual(['account', 'key'])
  expect(logged).not.toContain('revocation_entries_pruned')
})

test('where none is old enough no writer has to wait', async () => {
  const { store } = await openDirectory()
  const note = () => Promise.reject(new Error('waits for its turn to write'))
  expect(await pruneCutOffs({ ...store.directory, note }, Date.now())).toBe(0)
})

test('a database that refuses costs a line in the log and nothing else', async () => {
  const { store } = await openDirectory()
  const logged: string[] = []
  const stop = keepHouse({
    directory: { ...store.directory, read: () => Promise.reject(new Error('broken')) },
    uses: { note() {}, async writeDown() {} },
    log: (event) => logged.push(event),
    retentionDays: 0,
    unusedDays: 0,
    nowMs: Date.now,
  })
  await stop()
  expect(logged).toEqual(['revocation_entries_not_pruned'])
})
