/** Requests that meet a broken connection to the database wait for the reconnect, and fail only after the bound. */

import { reconnectWaitMs } from '@latchkey/service/database/wait-until-back'
import { rounds } from '@latchkey/testing/chance'
import { breakableLine } from '@latchkey/testing/machine/breakable-line'
import { startCluster } from '@latchkey/testing/postgres/cluster'
import { ownDatabase } from '@latchkey/testing/postgres/own-database'
import { throughPort } from '@latchkey/testing/postgres/through-port'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { expect, onTestFinished, test } from 'vitest'
import { type ServedHub, serveHub } from './served-hub.ts'

const clients = 32

const isMissing = isPostgresMissing('no connection to a database breaks')

async function hubOnLine() {
  const { url } = await ownDatabase()
  const line = await breakableLine(Number(new URL(url).port))
  onTestFinished(() => line.close())
  return { line, hub: await serveHub(throughPort(url, line.port)) }
}

test.skipIf(isMissing)(
  'requests of every kind are answered when the database comes back in time',
  // A machine that is busy with other things may take longer than the bound for a hundred requests.
  { retry: 3 },
  async () => {
    const { line, hub } = await hubOnLine()
    const { accessToken } = (await (await hub.requestToken()).json()) as { accessToken: string }
    line.break()
    const statuses = [
      ...Array.from({ length: 100 }, (_, at) => statusOf(hub.requestToken(`missing-${at}`))),
      statusOf(hub.report(accessToken)),
    ]
    const head = statusOf(hub.requestHead())
    await line.turnedAway()
    // Far below the bound, and long enough for requests that do not wait to fail.
    await new Promise((later) => setTimeout(later, 100))
    line.mend()
    const counts = countsOf(await Promise.all(statuses))
    expect(counts).toEqual({ 202: 1, 404: 100 })
    expect(await head).toBe(200)
  },
)

test.skipIf(isMissing)(
  'requests get 503 after the bound when the database stays unavailable',
  async () => {
    const { line, hub } = await hubOnLine()
    await hub.requestToken()
    line.break()
    const startedMs = performance.now()
    const statuses = await Promise.all(
      Array.from({ length: 100 }, (_, at) => statusOf(hub.requestToken(`missing-${at}`))),
    )
    expect(countsOf(statuses)).toEqual({ 503: 100 })
    const tookMs = performance.now() - startedMs
    expect(tookMs).toBeGreaterThan(reconnectWaitMs - 1)
    // All wait at the same time: one after the other they would take 150 s.
    expect(tookMs).toBeLessThan(20 * reconnectWaitMs)
  },
)

test.skipIf(isMissing || rounds(0, 1) === 0)(
  'a restart of PostgreSQL under load of uncached requests fails at most 0.5 % of them',
  async () => {
    const cluster = await startCluster()
    onTestFinished(() => cluster.kill())
    const hub = await serveHub(cluster.url(await cluster.createDatabase()))
    for (const mode of ['fast', 'immediate'] as const) {
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
      const { 404: answered = 0, ...failed } = counts
      const failures = Object.values(failed).reduce((sum, count) => sum + count, 0)
      // Beside other load a restart takes longer than the bound: then each client gets 503 once for each bound that passes.
      const excused = clients * Math.floor(restartMs / reconnectWaitMs)
      expect(failures).toBeLessThanOrEqual(excused + 0.005 * answered)
    }
  },
)

/** Each client asks again when it has its response. No name comes twice, so that none is cached. */
function loadOn(hub: ServedHub) {
  const statuses: (number | string)[] = []
  let [isOver, asked] = [false, 0]
  const client = async () => {
    while (!isOver) {
      asked += 1
      statuses.push(await statusOf(hub.requestToken(`missing-${asked}`)))
    }
  }
  const clientsDone = Array.from({ length: clients }, client)
  return {
    pass: (milliseconds: number) => new Promise((later) => setTimeout(later, milliseconds)),
    async end() {
      isOver = true
      await Promise.all(clientsDone)
      return countsOf(statuses)
    },
  }
}

function statusOf(asking: Promise<Response>): Promise<number | string> {
  return asking.then(
    ({ status, body }) => body?.cancel().then(() => status) ?? status,
    (error: Error) => error.message,
  )
}

function countsOf(statuses: readonly (number | string)[]): Readonly<Record<string, number>> {
  const grouped = Object.entries(Object.groupBy(statuses, (status) => status))
  return Object.fromEntries(grouped.map(([status, all = []]) => [status, all.length]))
}
