/** Three hubs on one database and five gates, in front of a storage that answers everything. */

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TokenResponse } from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import { freePort } from '@latchkey/testing/machine/free-port'
import { latchkeyHere } from '../run-here.ts'
import { type Ended, end, ready, type Serving, start } from '../run-latchkey.ts'
import { gateHere, type Here, hubHere } from '../serve-here.ts'

interface Told {
  readonly normalBoundSeconds: number
  readonly withheldBoundSeconds: number
}

export interface Gate {
  readonly url: string
  /** What `/readyz` says of revocations. */
  told(): Promise<Told>
}

/** A process, or in a usual run within the one of the test. */
export type Hub = Pick<Serving, 'url'> & Partial<Pick<Serving, 'child'>>

export interface Site {
  readonly hubs: readonly Hub[]
  readonly gates: readonly Gate[]
  /** A command on the machine of the hubs; it must succeed. */
  run(...args: string[]): Promise<Ended>
  /** Posts a leaked token to a hub, as anybody may. */
  report(token: string): Promise<void>
  /** Asks any of the hubs. */
  tokenFor(hubToken: string, target: string): Promise<Held>
  startGate(index: number): Promise<Gate>
  close(): Promise<void>
}

/** A storage token, and where it may be used. */
export interface Held {
  readonly token: string
  readonly path: string
}

const isSoak = rounds(0, 1) === 1
const casUrl = 'http://127.0.0.1:1/r/{repo}/{ref}'

export async function openSite(cwd: string): Promise<Site> {
  const publicUrl = `http://127.0.0.1:${await freePort()}`
  const storage = createServer((_, response) => response.end('content')).listen(0, '127.0.0.1')
  await once(storage, 'listening')
  const addresses = ['--public-url', publicUrl, '--cas-url', casUrl]
  const children: ReturnType<typeof start>[] = []
  const launch = (args: readonly string[]) => {
    const child = start(args, { cwd })
    children.push(child)
    return ready(child)
  }
  const servers: Here[] = []
  const here = async (starting: Promise<Here>) => {
    const server = await starting
    servers.push(server)
    return server
  }
  // The first of each kind are processes; in a soak all of them.
  const isProcess = (index: number, processes: number) => index < processes || isSoak
  const hubs: Hub[] = []
  for (let index = 0; index < 3; index += 1) {
    // The first one makes database and keys.
    const hub = isProcess(index, 1)
      ? await launch(['serve', '--no-storage', '--port', '0', ...addresses])
      : await here(hubHere(join(cwd, 'latchkey-data'), { storage: false, publicUrl, casUrl }))
    hubs.push(hub)
  }
  const startGate = async (index: number): Promise<Gate> => {
    const operationsPort = String(await freePort())
    const hub = hubs[index % hubs.length]?.url ?? ''
    const upstream = `${urlOf(storage)}/{repo}/{ref}`
    const { url } = isProcess(index, 2)
      ? await launch([
          ...['gate', '--port', '0', '--hub', hub, '--issuer', publicUrl, '--cas-url', casUrl],
          ...['--upstream', upstream, '--operations-port', operationsPort],
        ])
      : await here(
          gateHere({ port: '0', hub, issuer: publicUrl, casUrl, upstream, operationsPort }),
        )
    return {
      url,
      async told() {
        const answer = await fetch(`http://127.0.0.1:${operationsPort}/readyz`)
        const { revocations } = (await answer.json()) as { revocations: Told }
        return revocations
      },
    }
  }
  const gates = await Promise.all([0, 1, 2, 3, 4].map(startGate))
  return {
    hubs,
    gates,
    startGate,
    async run(...args) {
      const ended = await latchkeyHere(args, { cwd })
      if (ended.code !== 0) throw new Error(`${args.join(' ')}: ${ended.stderr}`)
      return ended
    },
    async report(token) {
      const answer = await fetch(`${hubs[0]?.url}/revoke`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      })
      if (answer.status !== 202) throw new Error(`reported: ${answer.status}`)
    },
    async tokenFor(hubToken, target) {
      const [repository, revision] = target.split('@')
      const path = `/api/${repository}/storage-read-token/${encodeURIComponent(revision ?? '')}`
      const hub = hubs[Math.floor(Math.random() * hubs.length)]
      const answer = await fetch(`${hub?.url}${path}`, {
        headers: { authorization: `Bearer ${hubToken}` },
      })
      if (answer.status !== 200) throw new Error(`${target}: ${await answer.text()}`)
      const { accessToken, casUrl: place } = (await answer.json()) as TokenResponse
      return { token: accessToken, path: `${new URL(place).pathname}/v1/files/x` }
    },
    async close() {
      await Promise.all([...children.map(end), ...servers.map((server) => server.stop())])
      storage.closeAllConnections()
      storage.close()
    },
  }
}

export async function statusAt({ url }: Gate, { token, path }: Held): Promise<number> {
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })
  await answer.arrayBuffer()
  return answer.status
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
