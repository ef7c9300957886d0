/** How much slower than bare signing is issuing? Median of per-round ratios, all servers up at once. */

import { fork } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { childrenOf } from '@latchkey/testing/machine/child-processes'
import { type DirectoryInPostgres, directoryInPostgres } from './directory-in-postgres.ts'
import { inTurn, type Load, load, type Target } from './load.ts'
import { cpuMicrosOf, loadCore, memoryOf, pin, serverCore } from './machine.ts'
import { at, writeResults } from './results.ts'

const rounds = Number(process.env['ROUNDS'] ?? 15)
const repositories = Number(process.env['REPOSITORIES'] ?? 1_000_000)
const connections = 32
/** Longer beside other load, where a second may be too short for the thousand requests that a round needs. */
const roundMs = Number(process.env['ROUND_MS'] ?? 1000)
const warmUpMs = 8000

interface Side extends Load, Target {
  readonly name: string
  readonly pid: number
}

interface Round {
  readonly perSecond: number
  readonly cpuMicros: number
  /** Of PostgreSQL, for each request. */
  readonly databaseMicros: number
  readonly busy: number
}

const { values } = parseArgs({ options: { database: { type: 'string', default: 'sqlite' } } })
const here = import.meta.dirname
pin(process.pid, loadCore)
const hot = Math.min(20_000, repositories)
const postgres =
  values.database === 'postgres' ? await directoryInPostgres(repositories) : undefined
// Its share of the core is counted apart.
if (postgres !== undefined)
  for (const pid of [postgres.pid, ...childrenOf(postgres.pid)]) pin(pid, loadCore)
const sides = [
  await start(`hub, hot keys (${hot})`, 'hub.ts', [repositories, hot]),
  await start(`hub, uniform over ${repositories}`, 'hub.ts', [repositories, repositories]),
  ...(postgres === undefined
    ? []
    : [
        await start(`PostgreSQL, hot keys (${hot})`, 'hub.ts', [repositories, hot], postgres),
        await start(
          `PostgreSQL, uniform over ${repositories}`,
          'hub.ts',
          [repositories, repositories],
          postgres,
        ),
      ]),
]
// The anchor is asked the same requests, so that reading them costs both the same.
const { paths = [], authorization = '' } = sides[0] ?? {}
const anchor = {
  ...(await start('bare-es', 'bare-es.ts', [])),
  nextPath: inTurn(paths),
  paths,
  authorization,
}
const all = [anchor, ...sides]
const measured = new Map<Side, Round[]>(all.map((side) => [side, []]))

// Long enough that every hot key has been asked for, and that the code is compiled.
for (const side of all) await load(side, connections, warmUpMs)
for (let round = 0; round < rounds; round += 1) {
  for (const side of all) measured.get(side)?.push(await visit(side))
}
report()
await postgres?.close()
process.exit()

function start(
  name: string,
  file: string,
  options: readonly number[],
  directory?: DirectoryInPostgres,
): Promise<Side> {
  return new Promise((resolve, reject) => {
    const child = fork(join(here, file), options.map(String), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: {
        ...process.env,
        ...(directory && {
          BENCH_DATABASE: directory.url,
          BENCH_AUTHORIZATION: directory.authorization,
        }),
      },
    })
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)))
    child.once('message', (target: Target) => {
      const pid = child.pid ?? 0
      pin(pid, serverCore)
      resolve({ name, pid, ...target, nextPath: inTurn(target.paths) })
    })
  })
}

async function visit(side: Side): Promise<Round> {
  const cpuBefore = cpuMicrosOf(side.pid)
  const databaseBefore = postgres?.cpuMicros() ?? 0
  const started = performance.now()
  const { requests, failed } = await load(side, connections, roundMs)
  const seconds = (performance.now() - started) / 1000
  const cpu = cpuMicrosOf(side.pid) - cpuBefore
  if (failed > 0 || requests < 1000) {
    throw new Error(`${side.name}: ${requests} requests, ${failed} failed`)
  }
  const databaseMicros = ((postgres?.cpuMicros() ?? 0) - databaseBefore) / requests
  const busy = cpu / 1e6 / seconds
  return { perSecond: requests / seconds, cpuMicros: cpu / requests, databaseMicros, busy }
}

/** A round in which a server was not busy measured the load generator. */
function report(): void {
  const anchors = measured.get(anchor) ?? []
  const table = all.map((side) => {
    const own = measured.get(side) ?? []
    const kept = own
      .map((_, index) => index)
      .filter((index) => isBusy(own[index]) && isBusy(anchors[index]))
    const ratios = kept
      .map((index) => (own[index]?.perSecond ?? 0) / (anchors[index]?.perSecond ?? 1))
      .sort((a, b) => a - b)
    return {
      server: side.name,
      ratio: at(ratios, 0.5),
      spread: `${at(ratios, 0.1)}–${at(ratios, 0.9)}`,
      'requests/s': Math.round(
        Number(
          at(
            kept.map((index) => own[index]?.perSecond ?? 0).sort((a, b) => a - b),
            0.5,
          ),
        ),
      ),
      'cpu µs, least': at(
        kept.map((index) => own[index]?.cpuMicros ?? 0).sort((a, b) => a - b),
        0,
      ),
      // Also where a server waited for its database: what its own processor time would allow.
      'ratio of cpu': at(
        own
          .map(({ cpuMicros }, index) => (anchors[index]?.cpuMicros ?? 0) / cpuMicros)
          .sort((a, b) => a - b),
        0.5,
      ),
      'database µs': at(
        own.map(({ databaseMicros }) => databaseMicros).sort((a, b) => a - b),
        0.5,
        1,
      ),
      'memory MB': memoryOf(side.pid),
      rounds: `${kept.length} of ${own.length}`,
    }
  })
  writeResults('issue', table)
}

function isBusy(round: Round | undefined): boolean {
  return round !== undefined && round.busy >= 0.9
}
