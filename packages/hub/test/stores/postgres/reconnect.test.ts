/** Requests that meet a broken connection to the database wait for the reconnect, and fail only after the bound. */

import { reconnectWaitMs } from '@latchkey/service/postgres'
import { breakableLine } from '@latchkey/testing/machine/breakable-line'
import { startCluster } from '@latchkey/testing/postgres/cluster'
import { ownDatabase } from '@latchkey/testing/postgres/own-database'
import { throughPort } from '@latchkey/testing/postgres/through-port'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { expect, onTestFinished, test } from 'vitest'
import { type ServedHub, serveHub } from './served-hub.ts'

const clients = 32

/** The only failure that a client may see: it has waited for the whole bound. */
const lateFailure = '503 after the bound'

/** A status, `lateFailure`, or the reason for which there is no response. */
type Outcome = number | string

const isMissing = isPostgresMissing('no connection to a database breaks')

async function hubOnLine() {
  const { url } = await ownDatabase()
  const line = await breakableLine(Number(new URL(url).port))
  onTestFinished(() => line.close())
  return { line, hub: await serveHub(throughPort(url, line.port)) }
}

test.skipIf(isMissing)(
  'requests of every kind are answered when the database comes back in time',
  async () => {
    const { line, hub } = await hubOnLine()
    const { accessToken } = (await (await hub.requestToken()).json()) as { accessToken: string }
    line.break()
    const sent = [
      ...Array.from({ length: 100 }, (_, at) => send(() => hub.requestToken(`missing-${at}`))),
      send(() => hub.report(accessToken)),
      send(() => hub.requestHead()),
    ]
    await line.turnedAway()
    // Far below the bound, and long enough for requests that do not wait to fail.
    await new Promise((later) => setTimeout(later, 100))
    line.mend()
    const { [lateFailure]: late = 0, ...others } = countsOf(await Promise.all(sent))
    // A machine that is busy with other things may take longer than the bound for some of them.
    const answered = [200, 202, 404].flatMap((status) => others[status] ?? [])
    expect(answered.length).toBeGreaterThan(0)
    expect(answered.reduce((sum, count) => sum + count, late)).toBe(sent.length)
  },
)

test.skipIf(isMissing)(
  'requests get 503 after the bound when the database stays unavailable',
  async () => {
    const { line, hub } = await hubOnLine()
    await hub.requestToken()
    line.break()
    const startedMs = performance.now()
    const sent = Array.from({ length: 100 }, (_, at) =>
      send(() => hub.requestToken(`missing-${at}`)),
    )
    expect(countsOf(await Promise.all(sent))).toEqual({ [lateFailure]: 100 })
    // All wait at the same time: one after the other they would take 150 s.
    expect(performance.now() - startedMs).toBeLessThan(20 * reconnectWaitMs)
  },
)

test.skipIf(isMissing)(
  'a restart of PostgreSQL under load of uncached requests fails at most 0.5 % of them',
  { tags: 'soak' },
  async () => {
    const cluster = await startCluster()
    onTestFinished(() => cluster.kill())
    const hub = await serveHub(cluster.url(await cluster.createDatabase()))
    for (let restart = 0; restart < 10; restart += 1) {
      const mode = restart % 2 === 0 ? 'fast' : 'immediate'
      const load = loadOn(hub)
      await load.pass(2000)
      const startedMs = performance.now()
      await cluster.restart(mode)
      const restartMs = performance.now() - startedMs
      await load.pass(2000)
      const counts = await load.end()
      process.stdout.write(
        `${mode} restart in ${Math.round(restartMs)} ms: ${JSON.stringify(counts)}\n`,
      )
      const { 404: answered = 0, [lateFailure]: late = 0, ...others } = counts
      expect(others).toEqual({})
      // Beside other load a restart takes longer than the bound: then each client gets 503 once for each bound that passes.
      const excused = clients * Math.floor(restartMs / reconnectWaitMs)
      expect(late).toBeLessThanOrEqual(excused + 0.005 * answered)
    }
  },
)

/** Each client asks again when it has its response. No name comes twice, so that none is cached. */
function loadOn(hub: ServedHub) {
  const outcomes: Outcome[] = []
  let [isOver, asked] = [false, 0]
  const client = async () => {
    while (!isOver) {
      asked += 1
      const branch = `missing-${asked}`
      outcomes.push(await send(() => hub.requestToken(branch)))
    }
  }
  const clientsDone = Array.from({ length: clients }, client)
  return {
    pass: (milliseconds: number) => new Promise((later) => setTimeout(later, milliseconds)),
    async end() {
      isOver = true
      await Promise.all(clientsDone)
      return countsOf(outcomes)
    },
  }
}

async function send(request: () => Promise<Response>): Promise<Outcome> {
  const sentMs = performance.now()
  try {
    const { status, body } = await request()
    const isLate = performance.now() - sentMs >= reconnectWaitMs
    await body?.cancel()
    return status === 503 && isLate ? lateFailure : status
  } catch (error) {
    return String(error)
  }
}

function countsOf(outcomes: readonly Outcome[]): Readonly<Record<string, number>> {
  const grouped = Object.entries(Object.groupBy(outcomes, (outcome) => outcome))
  return Object.fromEntries(grouped.map(([outcome, all = []]) => [outcome, all.length]))
}
