/** What does a token request cost in CPU time with one worker, and with several? All on one core, in turn. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { acme } from '@latchkey/testing/hub/acme'
import { prepareData } from '@latchkey/testing/hub/prepared-data'
import { childrenOf } from '@latchkey/testing/machine/child-processes'
import { latchkeyBin } from '@latchkey/testing/machine/latchkey-bin'
import { inTurn, type Load, load } from './load.ts'
import { cpuMicrosOf, loadCore, pin, serverCore } from './machine.ts'
import { at, writeResults } from './results.ts'

const rounds = Number(process.env['ROUNDS'] ?? 15)
const repositories = 1000
const connections = Number(process.env['CONNECTIONS'] ?? 32)
const roundMs = 1000
const warmUpMs = 8000

interface Side extends Load {
  readonly workers: number
  /** The supervisor first, where there is one. */
  readonly pids: readonly number[]
  readonly child: ChildProcess
}

interface Round {
  readonly perSecond: number
  readonly cpuMicros: number
  readonly supervisorMicros: number
}

const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
pin(process.pid, loadCore)
const names = Array.from({ length: repositories }, (_, index) => `acme/model-${index}`)
const [bert] = acme.repositories
const world = { ...acme, repositories: names.map((id) => ({ ...bert, id })) }
const { data, tokens } = await prepareData(folder, world)
const paths = names.map((id) => `/api/models/${id}/storage-read-token/main`)
const sides = [await start(1), await start(2), await start(4)]
const measured = new Map<Side, Round[]>(sides.map((side) => [side, []]))

// Each worker has its own code to compile.
for (const side of sides) await load(side, connections, warmUpMs * side.workers)
for (let round = 0; round < rounds; round += 1) {
  for (const side of sides) measured.get(side)?.push(await visit(side))
}
report()
for (const { child } of sides) child.kill('SIGKILL')
rmSync(folder, { recursive: true, force: true })
process.exit()

function start(workers: number): Promise<Side> {
  const args = ['serve', '--no-storage', '--port', '0', '--data', data]
  const limits = ['--limits-requests-per-minute', '1000000000', '--workers', String(workers)]
  const child = spawn(process.execPath, [latchkeyBin, ...args, ...limits], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const authorization = `Bearer ${tokens['writer/write']}`
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${workers} workers ended with ${code}`)))
    child.stderr?.on('data', (text) => {
      const port = /ready at http:.*:(\d+)/.exec(String(text))?.[1]
      if (port === undefined) return
      const pids = [child.pid ?? 0, ...childrenOf(child.pid)]
      for (const pid of pids) pin(pid, serverCore)
      resolve({ workers, pids, child, port: Number(port), authorization, nextPath: inTurn(paths) })
    })
  })
}

async function visit(side: Side): Promise<Round> {
  const cpuOf = () => side.pids.map(cpuMicrosOf)
  const before = cpuOf()
  const started = performance.now()
  const { requests, failed } = await load(side, connections, roundMs)
  const seconds = (performance.now() - started) / 1000
  if (failed > 0 || requests < 100) throw new Error(`${requests} requests, ${failed} failed`)
  const cpu = cpuOf().map((micros, index) => (micros - (before[index] ?? 0)) / requests)
  return {
    perSecond: requests / seconds,
    cpuMicros: cpu.reduce((sum, micros) => sum + micros, 0),
    supervisorMicros: side.workers === 1 ? 0 : (cpu[0] ?? 0),
  }
}

function report(): void {
  const table = sides.map((side) => {
    const own = measured.get(side) ?? []
    const sorted = (of: (round: Round) => number) => own.map(of).sort((a, b) => a - b)
    const cpu = sorted(({ cpuMicros }) => cpuMicros)
    return {
      workers: side.workers,
      'cpu µs, least': at(cpu, 0, 1),
      'cpu µs, median': at(cpu, 0.5, 1),
      'of it supervisor': at(
        sorted(({ supervisorMicros }) => supervisorMicros),
        0.5,
        1,
      ),
      'requests/s on one core': at(
        sorted(({ perSecond }) => perSecond),
        0.5,
        0,
      ),
    }
  })
  writeResults('workers', table)
}
