/** How much slower than bare signing is issuing? Median of per-round ratios, all servers up at once. */

import { fork } from 'node:child_process'
import { join } from 'node:path'
import { inTurn, type Load, load, type Target } from './load.ts'
import { cpuMicrosOf, loadCore, memoryOf, pin, serverCore } from './machine.ts'
import { at, writeResults } from './results.ts'

const rounds = Number(process.env['ROUNDS'] ?? 15)
const repositories = Number(process.env['REPOSITORIES'] ?? 1_000_000)
const connections = 32
const roundMs = 1000
const warmUpMs = 8000

interface Side extends Load, Target {
  readonly name: string
  readonly pid: number
}

interface Round {
  readonly perSecond: number
  readonly cpuMicros: number
  readonly busy: number
}

const here = import.meta.dirname
pin(process.pid, loadCore)
const sides = [
  await start('hub, hot keys (20 000)', 'hub.ts', [repositories, Math.min(20_000, repositories)]),
  await start(`hub, uniform over ${repositories}`, 'hub.ts', [repositories, repositories]),
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
process.exit()

function start(name: string, file: string, options: readonly number[]): Promise<Side> {
  return new Promise((resolve, reject) => {
    const child = fork(join(here, file), options.map(String), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
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
  const started = performance.now()
  const { requests, failed } = await load(side, connections, roundMs)
  const seconds = (performance.now() - started) / 1000
  const cpu = cpuMicrosOf(side.pid) - cpuBefore
  if (failed > 0 || requests < 1000) {
    throw new Error(`${side.name}: ${requests} requests, ${failed} failed`)
  }
  return { perSecond: requests / seconds, cpuMicros: cpu / requests, busy: cpu / 1e6 / seconds }
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
      'memory MB': memoryOf(side.pid),
      rounds: `${kept.length} of ${own.length}`,
    }
  })
  writeResults('issue', table)
}

function isBusy(round: Round | undefined): boolean {
  return round !== undefined && round.busy >= 0.9
}
