/** Three hubs on one PostgreSQL, two gates and a storage behind a balancer: every one a process of its own. */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Serving, startServing } from '@latchkey/testing/machine/command'
import { freePort } from '@latchkey/testing/machine/free-port'
import { type Cluster, startCluster } from '@latchkey/testing/postgres/cluster'
import { throughPort } from '@latchkey/testing/postgres/through-port'
import { latchkeyHere } from '../run-here.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { listenLine } from './listen-line.ts'
import { directory, type HeldToken } from './waverers.ts'

export interface Hub {
  readonly url: string
  readonly port: number
  /** The process that runs now. */
  process(): Serving
  /** After its end. */
  start(): Promise<void>
  isReady(): Promise<boolean>
}

/** Where storage tokens are used: a gate, or the storage itself. */
export interface Door {
  readonly name: string
  readonly url: string
  /** Below the path that a token is for. */
  readonly path: string
  /** The answer to a good token. */
  readonly admits: number
  /** Within this time a token that was taken back is refused, while the hub answers: as its start says. */
  readonly boundMs: number
  /** What it asked the hubs. */
  readonly asked: Balancer['passed']
  readonly needsDatabase: boolean
}

export interface Site {
  readonly cluster: Cluster
  readonly hubs: readonly Hub[]
  readonly doors: readonly Door[]
  readonly hubTokens: readonly HeldToken[]
  sql(text: string): Promise<string>
  /** Makes the LISTEN connection of the last hub half-open. */
  stallListening(): number
  close(): Promise<void>
}

export interface SiteOptions {
  readonly cwd: string
  readonly stalenessSeconds: number
}

export async function openSite({ cwd, stalenessSeconds }: SiteOptions): Promise<Site> {
  const closing: (() => unknown)[] = []
  const close = async () => {
    for (const step of closing.splice(0).toReversed()) await step()
  }
  const serving = async (args: readonly string[], env: Record<string, string> = {}) => {
    const started = await startServing(args, { cwd, env })
    closing.push(() => started.end('SIGKILL'))
    return started
  }
  try {
    const cluster = await startCluster()
    closing.push(cluster.kill)
    const database = await cluster.createDatabase()
    const line = await listenLine(cluster.port)
    closing.push(line.close)
    const direct = cluster.url(database)
    const masterKey = Buffer.alloc(32, 7).toString('base64')

    const ports = await Promise.all([0, 1, 2].map(freePort))
    const balancers = await Promise.all([0, 1, 2].map(() => startBalancer(ports)))
    for (const balancer of balancers) closing.push(balancer.close)
    const [forStorage, ...forGates] = balancers as [Balancer, ...Balancer[]]
    const storagePort = await freePort()
    const casUrl = ['--cas-url', `http://127.0.0.1:${storagePort}/r/{repo}/{ref}`]
    const shared = [
      ...['--no-storage', '--public-url', forStorage.url, ...casUrl],
      ...['--staleness-seconds', `${stalenessSeconds}`, '--limits-failures-per-minute', '0'],
    ]
    const startHub = async (port: number, index: number): Promise<Hub> => {
      const isLast = index === ports.length - 1
      const args = ['serve', '--port', `${port}`, '--data', join(cwd, `hub-${index}`)]
      const env = {
        LATCHKEY_DATABASE: isLast ? throughPort(direct, line.port) : direct,
        LATCHKEY_MASTER_KEY: masterKey,
      }
      const start = () => serving([...args, ...shared], env)
      let process = await start()
      const url = `http://127.0.0.1:${port}`
      return {
        ...{ url, port },
        process: () => process,
        async start() {
          process = await start()
        },
        isReady: () =>
          fetch(`${url}/readyz`).then(
            ({ ok }) => ok,
            () => false,
          ),
      }
    }
    // All at once: the first one makes tables and keys, and the others wait for it.
    const hubs = await Promise.all(ports.map(startHub))
    const env = { LATCHKEY_DATABASE: direct, LATCHKEY_MASTER_KEY: masterKey }
    const input = JSON.stringify(directory)
    const applied = await latchkeyHere(['apply', '-', '--json'], { cwd, env, input })
    if (applied.code !== 0) throw new Error(applied.stderr)
    const made: readonly Omit<HeldToken, 'id'>[] = JSON.parse(applied.stdout).hubTokens
    const sql = (text: string) => cluster.sql(text, database)
    const hubTokens = await withIds(made, sql)
    const credential = hubTokens.find(({ name }) => name === 'cas')?.token ?? ''

    const polls = ['--revocations-poll-seconds', '1']
    const upstream = await startUpstream()
    closing.push(upstream.close)
    const gates = await Promise.all(
      forGates.map(async (balancer, index) => {
        const hub = ['--hub', balancer.url, '--issuer', forStorage.url, ...casUrl]
        const args = [
          'gate',
          '--port',
          '0',
          '--upstream',
          `${upstream.url}/{repo}/{ref}`,
          ...hub,
          ...polls,
        ]
        const gate = await serving(args)
        const use = { path: '/v1/files/x', admits: 200, asked: balancer.passed }
        const needs = { needsDatabase: false }
        return {
          name: `gate ${index + 1}`,
          url: gate.url,
          boundMs: await boundOf(gate),
          ...use,
          ...needs,
        }
      }),
    )
    const storage = await serving(
      [
        'storage',
        'serve',
        '--port',
        `${storagePort}`,
        '--hub',
        forStorage.url,
        ...casUrl,
        ...polls,
      ],
      { LATCHKEY_STORAGE_CREDENTIAL: credential, LATCHKEY_STORAGE_DATABASE: direct },
    )
    const atStorage: Door = {
      ...{ name: 'storage', url: storage.url, boundMs: await boundOf(storage) },
      // There is no such file: only whoever is admitted learns that.
      ...{ path: `/v1/reconstructions/${'a'.repeat(64)}`, admits: 404, asked: forStorage.passed },
      needsDatabase: true,
    }
    return {
      ...{ cluster, hubs, doors: [...gates, atStorage], hubTokens, sql },
      stallListening: line.stallListening,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function withIds(
  made: readonly Omit<HeldToken, 'id'>[],
  sql: (text: string) => Promise<string>,
): Promise<readonly HeldToken[]> {
  const rows = await sql(
    'select a.name, t.name, t.id from latchkey_hub.hub_tokens t join latchkey_hub.accounts a on a.id = t.account_id',
  )
  const ids = new Map(
    rows.split('\n').map((row) => {
      const [account, name, id = ''] = row.split('|')
      return [`${account}/${name}`, id]
    }),
  )
  return made.map((one) => ({ ...one, id: ids.get(`${one.account}/${one.name}`) ?? '' }))
}

/** Its start says it to the operator. */
async function boundOf({ output }: Serving): Promise<number> {
  for (;;) {
    const seconds = /revoked tokens are rejected within (\d+) s/.exec(output().stderr)?.[1]
    if (seconds !== undefined) return Number(seconds) * 1000
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function startUpstream() {
  const server = createServer((_, response) => response.end('content')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
