/** Bodies through the gateway, and through nginx that asks the gate or checks by itself, beside the same bodies through a plain nginx proxy. */

import type { ChildProcess } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GatewaySettings } from '@latchkey/gateway'
import { freePort } from '@latchkey/testing/machine/free-port'
import { loadCore, memoryOf, pin, serverCore } from '../machine.ts'
import type { Figure, Goal } from '../measure/figure.ts'
import { getRequest, load } from '../measure/load.ts'
import { detailsOf, inRounds, type Round, ratioOf } from '../measure/rounds.ts'
import { startProcess } from '../measure/start-process.ts'
import { visit } from '../measure/visit.ts'
import { hasWrk, wrk } from '../measure/wrk.ts'
import type { GateOrder } from './gate-process.ts'
import { insideConfiguration } from './inside-nginx/configuration.ts'
import * as nginx from './nginx.ts'
import { issuer, jwks, refUid, repositoryUid, tokenFor } from './tokens.ts'

const sizes = {
  '1 KiB': 1024,
  '64 KiB': 64 * 1024,
  '1 MiB': 1024 * 1024,
  '64 MiB': 64 * 1024 * 1024,
}
type Size = keyof typeof sizes

/** By the name of a side. */
const goals: Readonly<Record<string, Readonly<Partial<Record<Size, Goal>>>>> = {
  gateway: { '64 KiB': { atLeast: 0.4 }, '1 MiB': { atLeast: 0.8 } },
  'nginx asking the gate': { '64 KiB': { atLeast: 0.8 }, '1 MiB': { atLeast: 0.8 } },
  'nginx asking the gate, answers cached': {
    '64 KiB': { atLeast: 0.95 },
    '1 MiB': { atLeast: 0.95 },
  },
  'nginx checking by itself': { '64 KiB': { atLeast: 0.8 }, '1 MiB': { atLeast: 0.8 } },
}
/** The host that the shipped configuration answers to. */
const host = 'cas.example'
const audience = `https://${host}/r`
const casUrl = `${audience}/{repo}/{ref}`

interface Side {
  readonly name: string
  /** The side it is compared with; itself, if nothing is said. */
  readonly beside?: Side
  readonly port: number
  /** All that work for it on the server's core. */
  readonly processes: readonly ChildProcess[]
}

export async function benchProxies(rounds: number): Promise<readonly Figure[]> {
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
    minBytesPerSecond: 1024,
  }
  const upstream = `http://127.0.0.1:${storage}`
  const gateway = await startGate({ kind: 'forward', upstream, timeouts, assertionKey: undefined })
  const asked = await startGate({ kind: 'forward-auth', proxy: 'nginx', cacheSeconds: 60 })

  /** `edited` is what becomes of the shipped file; `more` works for nginx beside it. */
  const shippedSide = async (
    name: string,
    file: string,
    edited: (shipped: string) => string,
    more: readonly ChildProcess[],
  ): Promise<Side> => {
    const own = await freePort()
    const ports = { own, gate: asked.port, storage }
    const http = edited(nginx.shippedConfiguration(file, ports, folderOf(name)))
    const child = await startNginx(name, http, own, serverCore)
    return { name, beside: buffered, port: own, processes: [child, ...more] }
  }
  const askingSide = (name: string, file: string) =>
    shippedSide(name, file, (shipped) => shipped, [asked.child])
  const checkingSide = async (name: string) => {
    const script = join(folder, 'check.js')
    // With vite and Babel, which only this side needs.
    const { scriptFor } = await import('./inside-nginx/build.ts')
    writeFileSync(script, await scriptFor({ jwks, issuer, casUrl }))
    const edited = (shipped: string) => insideConfiguration(shipped, script)
    return shippedSide(name, 'latchkey.conf', edited, [])
  }
  const scripted = nginx.hasScripting
    ? [
        await askingSide('nginx asking the gate, answers cached', 'latchkey-cached.conf'),
        await checkingSide('nginx checking by itself'),
      ]
    : []
  return [
    plain,
    { name: 'gateway', beside: plain, port: gateway.port, processes: [gateway.child] },
    buffered,
    await askingSide('nginx asking the gate', 'latchkey.conf'),
    ...scripted,
  ]
}

async function measure(sides: readonly Side[], rounds: number): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const [index, size] of (Object.keys(sizes) as Size[]).entries()) {
    // After the first size, code is compiled and connections are kept.
    for (const side of sides) await visitSide(side, size, index === 0 ? 2 : 1)
    // A body that takes long to send needs longer rounds to count many.
    const seconds = size === '64 MiB' ? 2 : 1
    const measured = await inRounds(sides, (side) => visitSide(side, size, seconds), rounds)
    figures.push(...sides.flatMap((side) => figureOf(side, size, measured)))
  }
  return figures
}

function figureOf(
  side: Side,
  size: Size,
  measured: ReadonlyMap<Side, readonly Round[]>,
): readonly Figure[] {
  const { name, beside, processes } = side
  if (beside === undefined) return []
  const [own, anchors] = [measured.get(side) ?? [], measured.get(beside) ?? []]
  const goal = goals[name]?.[size]
  const figure = {
    figure: `${name}, ${size}`,
    anchor: beside.name,
    result: ratioOf(own, anchors),
    details: {
      ...detailsOf(own, anchors),
      MB: processes.reduce((sum, { pid = 0 }) => sum + memoryOf(pid), 0),
    },
  }
  return [goal === undefined ? figure : { ...figure, goal }]
}

const headers = [`Host: ${host}`, `Authorization: Bearer ${tokenFor(audience, 'bench')}`]

/** A server that got little of its core beside other load still answers so many. */
const minRequests = 4

/** By wrk, or where it is missing by a program of ours, for which more rounds are rejected. */
function visitSide(side: Side, size: Size, seconds: number): Promise<Round> {
  const path = `/r/${repositoryUid}/${refUid}/v1/${sizes[size]}`
  const { port, name, processes } = side
  const pids = processes.map(({ pid = 0 }) => pid)
  const request = () => getRequest(path, headers)
  const url = `http://127.0.0.1:${port}${path}`
  // wrk does not count what its last moment interrupts: of large bodies, that may be all of them.
  const loading =
    hasWrk && size !== '64 MiB'
      ? () => wrk({ url, headers, connections: 16, seconds })
      : () => load({ port, request }, size === '64 MiB' ? 4 : 16, seconds * 1000)
  return visit({ name, pids }, minRequests, loading)
}

async function startGateProcess(
  work: GatewaySettings['work'],
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const order: GateOrder = { jwks, casUrl, work }
  const file = new URL('gate-process.ts', import.meta.url)
  const { child, ready: port } = await startProcess<number>(file, { order })
  return { child, port }
}
