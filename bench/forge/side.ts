/** A hub that is measured: this one, or one that an address was given of. */

import { randomBytes } from 'node:crypto'
import { childrenOf } from '@latchkey/testing/machine/child-processes'
import { cpuMicrosWithChildren, peakMemoryOf } from '../machine.ts'
import type { Peer } from '../measure/options.ts'
import type { World } from '../transfer/world.ts'

export interface Side {
  readonly name: string
  readonly url: string
  readonly token: string
  readonly namespace: string
  /** Undefined where nobody has told its process. */
  readonly pid: number | undefined
}

export function ownSide({ hubUrl, hubToken, pid }: World): Side {
  return { name: 'latchkey', url: hubUrl, token: hubToken, namespace: 'acme', pid }
}

/** Its path names the namespace in which repositories are made: `http://127.0.0.1:9000/acme`. */
export function peerSide({ url, headers, pid }: Peer): Side {
  const { origin, pathname } = new URL(url)
  const header = headers.find((one) => /^authorization: *bearer /i.test(one)) ?? ''
  const token = header.replace(/^authorization: *bearer +/i, '')
  const namespace = pathname.split('/')[1] || 'bench'
  return { name: origin, url: origin, token, namespace, pid }
}

/** Of the server, its storage and every git that has ended. */
export function cpuSecondsOf({ pid }: Side): number | undefined {
  if (pid === undefined) return undefined
  const all = [pid, ...childrenOf(pid)]
  return all.reduce((sum, each) => sum + (cpuMicrosOrNone(each) ?? 0), 0) / 1e6
}

function cpuMicrosOrNone(pid: number): number | undefined {
  try {
    return cpuMicrosWithChildren(pid)
  } catch {
    return undefined
  }
}

export function peakMegabytesOf({ pid }: Side): number | undefined {
  return pid === undefined ? undefined : peakMemoryOf(pid)
}

export async function ask(side: Side, path: string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(side.url + path, {
    ...init,
    headers: { authorization: `Bearer ${side.token}`, ...init.headers },
  })
  if (!answer.ok) throw new Error(`${side.name}: ${path}: ${answer.status} ${await answer.text()}`)
  return answer
}

/** A peer may have the repositories of an earlier run. */
const run = randomBytes(4).toString('hex')

export async function create(side: Side, what: string): Promise<string> {
  const name = `${what}-${run}`
  const body = JSON.stringify({ name, organization: side.namespace, type: 'model', private: true })
  const headers = { 'content-type': 'application/json' }
  await ask(side, '/api/repos/create', { method: 'POST', headers, body })
  return `/api/models/${side.namespace}/${name}`
}

export async function commit(side: Side, api: string, lines: readonly object[]): Promise<void> {
  const header = { key: 'header', value: { summary: 'a commit', description: '' } }
  const body = [header, ...lines].map((line) => JSON.stringify(line)).join('\n')
  const headers = { 'content-type': 'application/x-ndjson' }
  const answer = await ask(side, `${api}/commit/main`, { method: 'POST', headers, body })
  await answer.arrayBuffer()
}

export function fileLine(path: string, content: string | Buffer): object {
  const encoded = (typeof content === 'string' ? Buffer.from(content) : content).toString('base64')
  return { key: 'file', value: { path, content: encoded, encoding: 'base64' } }
}

export interface Spent {
  readonly milliseconds: number
  readonly cpuMilliseconds: number | undefined
}

export async function spentOn(side: Side, work: () => Promise<unknown>): Promise<Spent> {
  const [began, before] = [performance.now(), cpuSecondsOf(side)]
  await work()
  const after = cpuSecondsOf(side)
  const hasCpu = before !== undefined && after !== undefined
  return {
    milliseconds: performance.now() - began,
    cpuMilliseconds: hasCpu ? (after - before) * 1000 : undefined,
  }
}
