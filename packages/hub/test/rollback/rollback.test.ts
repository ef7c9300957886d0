/** A database that was rolled back while the hub was stopped opens nothing again that was revoked. */

import { rmSync } from 'node:fs'
import { rounds } from '@latchkey/testing/chance'
import { sharedCluster } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { findHead } from '../../src/journal/read-journal.ts'
import { answerRollback, lastRollbackIn } from '../../src/rollback/answer-rollback.ts'
import { answersIn } from '../../src/rollback/find-loss.ts'
import {
  keptNumberFile,
  noteLastNumber,
  readKeptNumber,
  writeKeptNumber,
} from '../../src/rollback/kept-number.ts'
import type { Reading } from '../../src/tables/directory.ts'
import { inFile, inPostgres, type RolledBackHub, rolledBackHub } from './rolled-back-hub.ts'

const isMissing = isPostgresMissing('no PostgreSQL is rolled back')
const postgres = async () => inPostgres(await sharedCluster())

/** A storage token is issued, copied with the database, and then its hub token is revoked. */
async function revokedAfterCopy(hub: RolledBackHub) {
  const token = await hub.issue('ada/laptop')
  await hub.stop()
  await hub.database.copy()
  await hub.start()
  hub.pass(60)
  await hub.run((done) => done('hub-token revoke', { hubToken: token.claims.client_id }))
  const gate = await hub.newGate()
  expect(gate.admits(token)).toBe(false)
  const { number: lost } = await hub.askChanges()
  await hub.stop()
  expect(readKeptNumber(hub.data)).toBe(lost)
  return { token, gate, lost }
}

const putBack = async (hub: RolledBackHub) => {
  await hub.database.putBack()
  hub.pass(60)
  await hub.start()
}

const rollbacks = (tables: Reading) =>
  tables.selectFrom('journal').selectAll().where('verb', '=', 'rollback').execute()

const answersOf = (hub: RolledBackHub) => hub.run((_, store) => store.readBeside(rollbacks))

describe.each([
  ['SQLite', false, inFile],
  ['PostgreSQL', isMissing, postgres],
] as const)('after a rollback of %s', (_, skip, openDatabase) => {
  test.skipIf(skip)('a running gate refuses the revoked token, whatever the hub says', async () => {
    const hub = await rolledBackHub(openDatabase)
    const { token, gate } = await revokedAfterCopy(hub)
    rmSync(keptNumberFile(hub.data))
    await putBack(hub)
    await gate.refresh()
    expect(gate.admits(token)).toBe(false)
    expect((await hub.newGate()).admits(token)).toBe(true)
    expect(hub.log('database_rolled_back')).toEqual([])
  })

  test.skipIf(skip)(
    'a hub with its data directory ends every storage token, names the hub tokens, and goes on',
    async () => {
      const hub = await rolledBackHub(openDatabase)
      const { token, lost } = await revokedAfterCopy(hub)
      await putBack(hub)
      const gate = await hub.newGate()
      expect(gate.admits(token)).toBe(false)
      expect(hub.log('database_rolled_back')).toMatchObject([
        {
          level: 'error',
          knownBy: 'data directory',
          hubTokens: 3,
          someHubTokens: [
            expect.stringMatching(/^ada\/laptop \(.+\)$/),
            expect.stringMatching(/^ada\/other /),
            expect.stringMatching(/^cas\/link /),
          ],
        },
      ])
      const [answer, ...more] = await answersOf(hub)
      expect(more).toEqual([])
      expect(answer?.number).toBeGreaterThan(lost)
      expect(JSON.parse(answer?.detail ?? '')).toMatchObject({
        after: { cuts: [{ kind: 'all' }], lost: { after: answer?.previous, through: lost } },
      })
      expect(gate.admits(await hub.issue('ada/laptop'))).toBe(true)
      await hub.stop()
      await hub.start()
      expect(await answersOf(hub)).toHaveLength(1)
    },
  )

  test.skipIf(skip)(
    'a storage that has followed the journal further makes the hub end every storage token, once',
    async () => {
      const hub = await rolledBackHub(openDatabase)
      const { token, lost } = await revokedAfterCopy(hub)
      rmSync(keptNumberFile(hub.data))
      await putBack(hub)
      const gate = await hub.newGate()
      expect(gate.admits(token)).toBe(true)
      expect(await hub.askChanges(lost)).toMatchObject({ status: 410 })
      await gate.refresh()
      expect(gate.admits(token)).toBe(false)
      const [line] = hub.log('database_rolled_back')
      const [answer] = await answersOf(hub)
      expect(line).toMatchObject({ hubTokens: 3, knownBy: answer?.actor_hub_token })
      expect(answer?.number).toBeGreaterThan(lost)
      expect(gate.admits(await hub.issue('ada/other'))).toBe(true)
      // Later than the pause between two reports: this one is answered already.
      hub.pass(601)
      await hub.askChanges(lost)
      expect(await answersOf(hub)).toHaveLength(1)
    },
  )
})

const sqlite = () => rolledBackHub(inFile)

test('a storage that knows a lost number, but has followed the journal only up to a kept one, makes the hub end every storage token', async () => {
  const hub = await sqlite()
  const { number: followed } = await hub.askChanges()
  const { token, lost } = await revokedAfterCopy(hub)
  rmSync(keptNumberFile(hub.data))
  await putBack(hub)
  const gate = await hub.newGate()
  expect(await hub.askChanges(followed)).toMatchObject({ status: 200 })
  await gate.refresh()
  expect(gate.admits(token)).toBe(true)
  const { status, number } = await hub.askChanges(followed, lost)
  expect([status, number > lost]).toEqual([200, true])
  await gate.refresh()
  expect(gate.admits(token)).toBe(false)
  expect(hub.log('database_rolled_back')).toHaveLength(1)
  for (const known of [followed, lost, number]) await hub.askChanges(number, known)
  expect(await answersOf(hub)).toHaveLength(1)
})

test('the hub logs once that it ignores a number which a storage sends again and again', async () => {
  const hub = await sqlite()
  const { number: followed } = await hub.askChanges()
  const ahead = hub.now() * 1000 + 120_000
  for (const known of [ahead, ahead, ahead]) {
    expect(await hub.askChanges(followed, known)).toMatchObject({ status: 200, number: followed })
  }
  expect(hub.log('rollback_report_ignored')).toHaveLength(1)
})

const queryPlan = [undefined, sql`query plan`] as const

test('a storage cannot end every storage token again and again with numbers that it invents', async () => {
  const hub = await sqlite()
  hub.pass(60)
  const at = () => hub.now() * 1000
  for (let asked = 0; asked < rounds(20, 200); asked += 1) {
    hub.pass(10)
    expect(await hub.askChanges(at() - 1)).toMatchObject({ status: 410 })
  }
  expect(await answersOf(hub)).toHaveLength(1)
  hub.pass(600)
  await hub.askChanges(at() - 1)
  expect(await answersOf(hub)).toHaveLength(2)
})

const journalOf = (hub: RolledBackHub) =>
  hub.run((_, store) =>
    store.readBeside((tables) => tables.selectFrom('journal').selectAll().execute()),
  )

test('a storage that reports a number ahead of the clock changes nothing', async () => {
  const hub = await sqlite()
  hub.pass(60)
  const before = await journalOf(hub)
  for (const minutes of [59, 2, 1 + 1 / 60_000]) {
    const number = hub.now() * 1000 + minutes * 60_000
    expect(await hub.askChanges(number), String(minutes)).toMatchObject({ status: 410 })
  }
  expect(await journalOf(hub)).toEqual(before)
  const ignored = { level: 'warn', reason: 'the number is ahead of the clock' }
  expect(hub.log('rollback_report_ignored')).toMatchObject([ignored, ignored, ignored])
})

test('entries have the time of the clock and larger numbers than a report that is a little ahead', async () => {
  const hub = await sqlite()
  hub.pass(60)
  const at = hub.now() * 1000
  const reported = at + 60_000
  await hub.askChanges(reported)
  await hub.run((done) => done('account create', { name: 'new' }))
  expect((await journalOf(hub)).slice(-2)).toMatchObject([
    { verb: 'rollback', number: reported + 1, at_milliseconds: at },
    { verb: 'account create', number: reported + 2, at_milliseconds: at },
  ])
  hub.pass(599)
  await hub.askChanges(hub.now() * 1000 - 1)
  expect(await answersOf(hub)).toHaveLength(1)
  hub.pass(1)
  await hub.askChanges(hub.now() * 1000 - 1)
  expect(await answersOf(hub)).toHaveLength(2)
})

test('a storage that reports many numbers at once ends every storage token once', async () => {
  const hub = await sqlite()
  hub.pass(60)
  const now = hub.now()
  const report = { knownBy: 'link', isOfStorage: true, origin: { user: 'cas' } }
  await hub.run((_, { directory }) =>
    Promise.all(
      Array.from({ length: 10 }, (_one, seconds) =>
        answerRollback(
          { directory, log() {}, now },
          { ...report, knownNumber: now * 1000 + seconds * 1000 + 1 },
        ),
      ),
    ),
  )
  expect(await answersOf(hub)).toHaveLength(1)
})

test('the hub looks for answers to a rollback in an index, however long the journal is', async () => {
  const hub = await sqlite()
  const plan = await hub.run((_, store) =>
    store.readBeside(async (tables) => [
      await answersIn(tables)
        .select('number')
        .where('number', '>', 1)
        .explain(...queryPlan),
      await lastRollbackIn(tables).explain(...queryPlan),
    ]),
  )
  expect(plan).toMatchObject([
    [{ detail: expect.stringContaining('INDEX journal_answers (verb=? AND number>?)') }],
    [{ detail: expect.stringContaining('INDEX journal_answers (verb=?)') }],
  ])
})

test('retention of the journal is no rollback, neither for the data directory nor for a storage', async () => {
  const hub = await sqlite()
  const { number } = await hub.askChanges()
  await hub.stop()
  await hub.run((_, { directory }) =>
    directory.change(async ({ putAs }) => putAs({ verb: 'serve' })([{ thing: 'hub' }])),
  )
  await hub.run((_, { directory }) =>
    directory.note('journal retention', async ({ tables }) => {
      const { number: head } = await findHead(tables)
      await tables.deleteFrom('journal').where('number', '<', head).execute()
      await tables
        .updateTable('journal_head')
        .set({ pruned_through: head - 1 })
        .execute()
    }),
  )
  await hub.start()
  expect(await hub.askChanges(number - 1)).toMatchObject({ status: 410 })
  expect(await answersOf(hub)).toEqual([])
})

test('a command that changes a rolled back database leaves the rollback for the hub to notice', async () => {
  const hub = await sqlite()
  const { lost, token } = await revokedAfterCopy(hub)
  await hub.database.putBack()
  hub.pass(60)
  await hub.run(async (done, store) => {
    await done('account create', { name: 'new' })
    await noteLastNumber(hub.data, store)
  })
  expect(readKeptNumber(hub.data)).toBe(lost)
  await hub.start()
  expect((await hub.newGate()).admits(token)).toBe(false)
})

test('the number of a command is kept, so that the loss of its change is noticed', async () => {
  const hub = await sqlite()
  await hub.stop()
  await hub.database.copy()
  hub.pass(60)
  await hub.run(async (done, store) => {
    await done('account create', { name: 'new' })
    await noteLastNumber(hub.data, store)
  })
  await putBack(hub)
  expect(hub.log('database_rolled_back')).toHaveLength(1)
})

test('a data directory says nothing of a new database that is put beside it', async () => {
  const hub = await sqlite()
  await hub.stop()
  await writeKeptNumber(hub.data, 1_600_000_000_000)
  await hub.start()
  expect(hub.log('database_rolled_back')).toEqual([])
})
