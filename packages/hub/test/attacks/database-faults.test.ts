/** A database that fails in the middle of a sign-in or an exchange: nothing is half made, and the next try gives one result. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Store } from '@latchkey/hub'
import { acme } from '@latchkey/testing/hub/acme'
import type { SettingsChange } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { freePort } from '@latchkey/testing/machine/free-port'
import { ownDatabase } from '@latchkey/testing/postgres/own-database'
import { throughPort } from '@latchkey/testing/postgres/through-port'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { decide, pollNow, refresh, signInDevice, startDevice } from '../oauth/sign-in-device.ts'
import { openSignIn } from '../sign-in/open-sign-in.ts'
import { movableLine } from '../stores/postgres/movable-line.ts'
import { settingsOf } from '../stores/postgres/open-hub.ts'
import { openExchange, rule } from '../trusted-publishers/open-exchange.ts'

const isMissing = isPostgresMissing('no exchange meets a connection that breaks')

/** One way to get a credential. */
interface Flow {
  readonly store: Store
  readonly data: string
  /** The same request again, as the program would send it; a browser starts again. */
  ask(): Promise<{ readonly status: number; readonly text: string }>
}

interface FlowRow {
  readonly name: string
  /** The last row that it writes, in a transaction of several. */
  readonly lastWrite: readonly ['INSERT' | 'UPDATE', string]
  open(change: SettingsChange): Promise<Flow>
}

const flows: readonly FlowRow[] = [
  {
    name: 'the way back from a provider',
    lastWrite: ['INSERT', 'sessions'],
    async open(change) {
      const world = await openSignIn(change)
      onTestFinished(() => world.close())
      world.reset()
      return { ...world, ask: () => world.browser().signIn() }
    },
  },
  {
    name: 'the exchange of a device code',
    lastWrite: ['UPDATE', 'device_codes'],
    async open(change) {
      const world = await opened(change)
      const started = await startDevice(world)
      await decide(world, started)
      return flowOf(world, async () => {
        world.passSeconds(5)
        return pollNow(world, started.device_code)
      })
    },
  },
  {
    name: 'a refresh',
    lastWrite: ['UPDATE', 'refresh_tokens'],
    async open(change) {
      const world = await opened(change)
      const { refresh_token } = await signInDevice(world)
      return flowOf(world, () => refresh(world, refresh_token))
    },
  },
  {
    name: 'the exchange of a CI job',
    lastWrite: ['INSERT', 'hub_tokens'],
    async open(change) {
      const job = await openExchange({ change })
      onTestFinished(() => job.close())
      const { world, issuer } = job
      await world.done('publisher create', { ...rule, issuer: issuer.issuer })
      const subject_token = await issuer.sign(job.claims())
      return flowOf(world, async () => {
        const { status, json } = await job.exchange({}, { subject_token })
        return { status, text: JSON.stringify(json) }
      })
    },
  },
]

async function opened(change: SettingsChange): Promise<World> {
  const world = await startWorld(acme, change)
  onTestFinished(() => world.close())
  return world
}

function flowOf({ store, settings: { data } }: World, ask: Flow['ask']): Flow {
  return { store, data, ask }
}

const counted = [
  ...(['accounts', 'identities', 'hub_tokens', 'sessions', 'journal'] as const),
  ...(['device_families', 'refresh_tokens', 'id_token_uses'] as const),
]

/** How many rows each of these tables has, and which codes and refresh tokens were used. */
function rows({ store }: Flow): Promise<Readonly<Record<string, number>>> {
  return store.directory.read(async (tables) => {
    const counts: Record<string, number> = {}
    for (const table of counted) {
      counts[table] = (await tables.selectFrom(table).selectAll().execute()).length
    }
    for (const table of ['device_codes', 'refresh_tokens'] as const) {
      const used = tables.selectFrom(table).select('used_at').where('used_at', 'is not', null)
      counts[`used ${table}`] = (await used.execute()).length
    }
    return counts
  })
}

type Fault = Awaited<ReturnType<Flow['ask']>>

/** The client may send it again. */
function expectFailed({ status, text }: Fault): void {
  expect(status).toBeGreaterThanOrEqual(500)
  expect(text).not.toMatch(/lk[sr]?_\w{49}/)
}

async function expectOneResult(
  flow: Flow,
  before: Readonly<Record<string, number>>,
  { status }: Fault,
): Promise<void> {
  expect([200, 303]).toContain(status)
  const after = await rows(flow)
  expect(after['hub_tokens']).toBe((before['hub_tokens'] ?? 0) + 1)
}

/** The hub of this process may be in the middle of a transaction, which a wait in SQLite would stop. */
async function execute(database: DatabaseSync, sql: string): Promise<void> {
  await expect
    .poll(() => {
      try {
        database.exec(sql)
        return 'done'
      } catch (error) {
        return String(error)
      }
    })
    .toBe('done')
}

describe.each(flows)('$name', ({ lastWrite: [how, table], open }) => {
  test('leaves nothing where SQLite refuses its last write, and one result at the next try', async () => {
    const flow = await open({})
    const database = new DatabaseSync(join(flow.data, 'latchkey.db'))
    onTestFinished(() => database.close())
    const before = await rows(flow)
    const refusal = `BEGIN SELECT RAISE(ABORT, 'broken'); END`
    await execute(database, `CREATE TRIGGER broken BEFORE ${how} ON ${table} ${refusal}`)
    expectFailed(await flow.ask())
    await execute(database, 'DROP TRIGGER broken')
    expect(await rows(flow)).toEqual(before)
    await expectOneResult(flow, before, await flow.ask())
  })

  test.skipIf(isMissing)(
    'leaves nothing where PostgreSQL goes away before its last write, and gives one result when it is back',
    async () => {
      const { url } = await ownDatabase()
      const port = Number(new URL(url).port)
      const line = await movableLine(port)
      const flow = await open({ database: settingsOf(throughPort(url, line.port)) })
      const before = await rows(flow)
      const breakTo = async (other: number) => {
        const release = line.hold(how === 'INSERT' ? `insert into "${table}"` : `update "${table}"`)
        const asking = flow.ask()
        await line.held()
        line.moveTo(other)
        release()
        return asking
      }
      const nowhere = await freePort()
      expectFailed(await breakTo(nowhere))
      line.moveTo(port)
      expect(await rows(flow)).toEqual(before)
      // A line that breaks for a moment is one failure less for the client.
      await expectOneResult(flow, before, await breakTo(port))
    },
  )
})
