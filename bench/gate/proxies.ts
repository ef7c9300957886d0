/** Bodies through the gateway, and through nginx that asks the gate, beside the same bodies through a plain nginx proxy. */

import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GatewaySettings } from '@latchkey/gate/gateway'
import { cpuMicrosOf, loadCore, memoryOf, pin, serverCore } from '../machine.ts'
import { at } from '../results.ts'
import type { GateOrder } from './gate-process.ts'
import * as nginx from './nginx.ts'
import { jwks, refUid, repositoryUid, tokenFor } from './tokens.ts'

const sizes = { '64 KiB': 64 * 1024, '1 MiB': 1024 * 1024 }
const audience = 'http://127.0.0.1:8081/r'
const casUrl = `${audience}/{repo}/{ref}`
const connections = 16
const warmUpSeconds = 6

interface Side {
  readonly name: string
  /** The side it is compared with; itself, if nothing is said. */
  readonly beside?: Side
  readonly port: number
  /** All that work for it on the server's core. */
  readonly processes: readonly ChildProcess[]
}

interface Round {
  readonly perSecond: number
  readonly cpuMicros: number
  readonly busy: number
}

/** Undefined where the programs to compare with are missing. */
export async function benchProxies(rounds: number): Promise<object[] | undefined> {
  if (!nginx.hasNginx || spawnSync('wrk', ['-v']).error !== undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-gate-'))
  chmodSync(folder, 0o755)
  const started: ChildProcess[] = []
  try {
    const sides = await startSides(folder, started)
    return await measure(sides, rounds)
  } finally {
    for (const child of started) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startSides(folder: string, started: ChildProcess[]): Promise<readonly Side[]> {
  const files = join(folder, 'files')
  mkdirSync(files, { mode: 0o755 })
  for (const size of Object.values(sizes)) {
    writeFileSync(join(files, String(size)), randomFillSync(Buffer.alloc(size)), { mode: 0o644 })
  }
  const folderOf = (name: string) => join(folder, name.replaceAll(/\W+/g, '-'))
  const startNginx = async (name: string, http: string, port: number, core: number) => {
    const child = await nginx.startNginx(folderOf(name), http, port)
    started.push(child)
    pin(child.pid ?? 0, core)
    return child
  }
  const startGate = async (work: GatewaySettings['work']) => {
    const gate = await startGateProcess(work)
    started.push(gate.child)
    return gate
  }
  const storage = await freePort()
  await startNginx('storage', nginx.storageConfiguration(storage, files), storage, loadCore)

  const plainSide = async (name: string, more: string): Promise<Side> => {
    const port = await freePort()
    const http = nginx.plainProxyConfiguration(port, storage, more)
    return { name, port, processes: [await startNginx(name, http, port, serverCore)] }
  }
  const plain = await plainSide('plain nginx proxy', '')
  const buffered = await plainSide('plain nginx proxy, larger buffers', nginx.shippedBuffers)

  const timeouts = {
    connectSeconds: 5,
    headersSeconds: 60,
    idleSeconds: 60,
    totalSeconds: 3600,
    leastBytesPerSecond: 1024,
  }
  const upstream = `http://127.0.0.1:${storage}`
  const gateway = await startGate({ kind: 'forward', upstream, timeouts, assertionKey: undefined })
  const asked = await startGate({ kind: 'forward-auth', proxy: 'nginx', cacheSeconds: 60 })

  const askingSide = async (name: string, file: string): Promise<Side> => {
    const own = await freePort()
    const http = nginx.shippedConfiguration(
      file,
      { own, gate: asked.port, storage },
      folderOf(file),
    )
    const child = await startNginx(file, http, own, serverCore)
    return { name, beside: buffered, port: own, processes: [child, asked.child] }
  }
  return [
    plain,
    { name: 'gateway', beside: plain, port: gateway.port, processes: [gateway.child] },
    buffered,
    await askingSide('nginx asking the gate', 'latchkey.conf'),
    ...(nginx.hasScripting
      ? [await askingSide('nginx asking the gate, answers cached', 'latchkey-cached.conf')]
      : []),
  ]
}

async function measure(sides: readonly Side[], rounds: number): Promise<object[]> {
  const table: object[] = []
  for (const [size, bytes] of Object.entries(sizes)) {
    const measured = new Map<Side, Round[]>(sides.map((side) => [side, []]))
    for (const side of sides) await visit(side, bytes, warmUpSeconds)
    for (let round = 0; round < rounds; round += 1) {
      for (const side of sides) measured.get(side)?.push(await visit(side, bytes, 1))
    }
    for (const side of sides) table.push(row(side, size, measured))
  }
  return table
}

/** A round in which the server was not busy measured the load generator. */
function row(side: Side, size: string, measured: Map<Side, Round[]>): object {
  const own = measured.get(side) ?? []
  const anchors = measured.get(side.beside ?? side) ?? []
  const kept = own.flatMap((round, index) => {
    const beside = anchors[index]
    return beside !== undefined && round.busy >= 0.9 && beside.busy >= 0.9
      ? [{ round, beside }]
      : []
  })
  const ratios = kept
    .map(({ round, beside }) => round.perSecond / beside.perSecond)
    .toSorted((one, other) => one - other)
  const costs = kept.map(({ round }) => round.cpuMicros).toSorted((one, other) => one - other)
  const speeds = own.map(({ perSecond }) => perSecond).toSorted((one, other) => one - other)
  return {
    server: side.name,
    beside: side.beside?.name ?? '',
    body: size,
    ratio: at(ratios, 0.5),
    spread: `${at(ratios, 0.1)}–${at(ratios, 0.9)}`,
    'requests/s': Math.round(Number(at(speeds, 0.5))),
    'cpu µs, median': at(costs, 0.5),
    'cpu µs, least': at(costs, 0),
    'memory MB': side.processes.reduce((sum, { pid = 0 }) => sum + memoryOf(pid), 0),
    rounds: `${kept.length} of ${own.length}`,
  }
}

async function visit(side: Side, bytes: number, seconds: number): Promise<Round> {
  const cpu = () => side.processes.reduce((sum, { pid = 0 }) => sum + cpuMicrosOf(pid), 0)
  const before = cpu()
  const started = performance.now()
  const { requests, failed } = await wrk(side.port, bytes, seconds)
  const took = (performance.now() - started) / 1000
  if (failed > 0 || requests < 50)
    throw new Error(`${side.name}: ${requests} requests, ${failed} failed`)
  const used = cpu() - before
  return { perSecond: requests / took, cpuMicros: used / requests, busy: used / 1e6 / took }
}

const authorization = `Authorization: Bearer ${tokenFor(audience, 'bench')}`

function wrk(
  port: number,
  bytes: number,
  seconds: number,
): Promise<{ requests: number; failed: number }> {
  const url = `http://127.0.0.1:${port}/r/${repositoryUid}/${refUid}/v1/${bytes}`
  const words = ['-t1', `-c${connections}`, `-d${seconds}s`, '-H', authorization, url]
  return new Promise((resolve, reject) => {
    const child = spawn('taskset', ['-c', String(loadCore), 'wrk', ...words])
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    child.on('error', reject)
    child.on('close', () =>
      resolve({
        requests: Number(/(\d+) requests in/.exec(text)?.[1] ?? 0),
        failed: Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0),
      }),
    )
  })
}

function startGateProcess(
  work: GatewaySettings['work'],
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const child = fork(join(import.meta.dirname, 'gate-process.ts'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const order: GateOrder = { jwks, casUrl, work }
  child.send(order)
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the gate ended with ${code}`)))
    child.once('message', (port: number) => {
      pin(child.pid ?? 0, serverCore)
      resolve({ child, port })
    })
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' ? (address?.port ?? 0) : 0
      server.close(() => resolve(port))
    })
  })
}
