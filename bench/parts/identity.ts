/** Do token requests notice when 2000 people sign in within a minute? */

import { openStore } from '@latchkey/hub'
import { systemClock } from '@latchkey/service/machine/time'
import { readPostgresSettings } from '@latchkey/service/postgres'
import { applied, verbRunner } from '@latchkey/testing/hub/run-verbs'
import { findPostgres } from '@latchkey/testing/tools/postgres-programs'
import type { StormOrder, StormResult } from '../identity/sign-in-storm.ts'
import type { BenchDirectory, HubOrder } from '../issue/directory.ts'
import { postgresDirectories } from '../issue/postgres-directory.ts'
import { startHubSide, warmUpAll } from '../issue/sides.ts'
import { sqliteDirectory } from '../issue/sqlite-directory.ts'
import { loadCore, pin } from '../machine.ts'
import type { Figure } from '../measure/figure.ts'
import { openLoop } from '../measure/open-loop.ts'
import { startProcess } from '../measure/start-process.ts'
import { quantile } from '../measure/statistics.ts'
import { missing, type Part } from '../part.ts'

const signInsPerMinute = 2000
const perSecond = 500
const connections = 32
/** Each signs in once. */
const accounts = 2000
const stormProgram = new URL('../identity/sign-in-storm.ts', import.meta.url)

export const identity: Part = {
  name: 'identity',
  async figures({ database, repositories = 100_000, rounds = 60, roundMs }) {
    const milliseconds = rounds * roundMs
    const sqlite = await sqliteDirectory(repositories)
    const figures = await figuresOf(sqlite, milliseconds).finally(sqlite.close)
    if (database === 'sqlite') return figures
    if (findPostgres() === undefined) {
      return [...figures, missing('PostgreSQL', '', 'PostgreSQL', 'install Debian’s postgresql')]
    }
    const postgres = await postgresDirectories()
    try {
      const directory = await postgres.add(repositories)
      return [...figures, ...(await figuresOf(directory, milliseconds))]
    } finally {
      await postgres.close()
    }
  },
}

/** A token request that fails, and a sign-in that does, is a failure of the part. */
async function figuresOf(
  directory: BenchDirectory,
  milliseconds: number,
): Promise<readonly Figure[]> {
  const order = { ...directory.order(), trustsLoopback: true }
  const hubTokens = await addPeople(order)
  const hub = await startHubSide({ ...directory, order: () => order }, 'hot')
  const { child, pid } = await startProcess<string>(stormProgram)
  try {
    pin(pid, loadCore)
    await warmUpAll([hub], 1000)
    const rate = { perSecond, milliseconds, connections }
    const alone = await openLoop(hub, rate)
    const ended = new Promise<StormResult>((resolve) => child.once('message', resolve))
    const signIns = Math.round((signInsPerMinute * milliseconds) / 60_000)
    const storm: StormOrder = { port: hub.port, hubTokens, signIns, milliseconds }
    child.send(storm)
    const beside = await openLoop(hub, rate)
    const { took, failures } = await ended
    if (failures.length > 0) throw new Error(`${failures.length} sign-ins failed: ${failures[0]}`)
    const [own, anchor] = [p95(beside), p95(alone)]
    return [
      {
        figure: `${directory.database}, p95 of token requests beside ${signIns} sign-ins`,
        anchor: 'the same hub without sign-ins',
        result: { value: own / anchor, low: own / anchor, high: own / anchor, rounds: 1, of: 1 },
        details: {
          ...{ 'p95 ms': own, 'p95 ms without': anchor, 'p95 ms of a sign-in': p95(took) },
          ...{ 'token requests': beside.length, 'sign-ins': took.length },
        },
      },
    ]
  } finally {
    child.disconnect()
    hub.child.disconnect()
  }
}

function p95(milliseconds: readonly number[]): number {
  return quantile(milliseconds, 0.95) ?? Number.NaN
}

/** Each with the hub token that it signs in with. */
async function addPeople({ data, url }: HubOrder): Promise<readonly string[]> {
  const database = url === undefined ? 'sqlite:latchkey.db' : readPostgresSettings(url)
  const store = await openStore({ data, database }, { create: true })
  try {
    const names = Array.from({ length: accounts }, (_, index) => `person-${index}`)
    const file = {
      accounts: names.map((name) => ({ name })),
      hubTokens: names.map((account) => ({ account, name: 'sign-in', kind: 'write' })),
    }
    return Object.values(await applied<string>(verbRunner(store, systemClock), file))
  } finally {
    await store.close()
  }
}
