/** A running hub keeps the journal for as long as its option says. */

import { unixSeconds } from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { writeDirectory } from '@latchkey/testing/hub/write-directory'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, test } from 'vitest'
import { openStore, startHub } from '../../src/index.ts'

const tenDays = 10 * 24 * 60 * 60

/** The verbs of the entries that are left when a hub has run ten days later, and what it logged. */
async function afterTenDays(retentionDays: number) {
  const settings = testSettings(temporaryFolder(), { journal: { retentionDays } })
  await writeDirectory(settings, { accounts: [{ name: 'ada' }] })
  const logged: string[] = []
  const hub = await startHub(settings, {
    clock: () => unixSeconds(systemClock() + tenDays),
    lines: { write: (line) => logged.push(line), async close() {} },
  })
  await hub.stop()
  const store = await openStore(settings, { create: false })
  const rows = await store.directory.read((tables) =>
    tables.selectFrom('journal').select('verb').distinct().execute(),
  )
  store.close()
  return { verbs: rows.map(({ verb }) => verb), logged: logged.join('') }
}

test('entries older than the option says are gone after a start, and the log says how many', async () => {
  const { verbs, logged } = await afterTenDays(2)
  expect(verbs).toEqual(['serve'])
  expect(logged).toMatch(/"event":"journal_pruned","entries":2,"days":2/)
})

test('younger entries stay, and with 0 all of them', async () => {
  for (const days of [0, 20]) {
    const { verbs, logged } = await afterTenDays(days)
    expect(verbs.toSorted()).toEqual(['apply', 'migrate', 'serve'])
    expect(logged).not.toContain('journal_pruned')
  }
})
