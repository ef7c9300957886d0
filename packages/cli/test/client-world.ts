/** A hub, and a gate before a storage of the test's own, in this process, for all tests of a file. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@latchkey/testing/machine/free-port'
import { afterAll, beforeAll } from 'vitest'
import { commit } from './directory-file.ts'
import { latchkeyHere } from './run-here.ts'
import type { Ended } from './run-latchkey.ts'
import { gateHere, hubHere } from './serve-here.ts'

const directory = JSON.stringify({
  accounts: [{ name: 'ada', administrator: true }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  repositories: [
    { type: 'model', id: 'acme/bert', visibility: 'private', branches: { main: commit } },
  ],
  hubTokens: [
    { account: 'ada', name: 'laptop', kind: 'write', expiresAt: '2099-01-01T00:00:00Z' },
    { account: 'ada', name: 'reader', kind: 'read' },
    { account: 'ada', name: 'admin', kind: 'admin' },
  ],
})

export const target = 'models/acme/bert@main'

export interface World {
  readonly hub: string
  tokenOf(name: 'laptop' | 'reader' | 'admin'): string
  /** A new home directory, where nobody is logged in yet. */
  home(): string
  /** Runs a client's command in this process, as the owner of the laptop's token. */
  ask(args: readonly string[], more?: More): Promise<Ended>
}

interface More {
  readonly cwd?: string
  readonly input?: string
}

export type Storage = (request: IncomingMessage, response: ServerResponse) => void

/** Without a storage there is no gate either. */
export function clientWorld(storage?: Storage): World {
  const world = { root: '', hub: '', tokens: new Map<string, string>() }
  const tidy: (() => unknown)[] = []

  beforeAll(async () => {
    world.root = mkdtempSync(join(tmpdir(), 'latchkey-client-'))
    tidy.push(() => rmSync(world.root, { recursive: true }))
    const cwd = world.root
    const { stdout } = await latchkeyHere(['apply', '-', '--json'], { cwd, input: directory })
    const made: { name: string; token: string }[] = JSON.parse(stdout).hubTokens
    world.tokens = new Map(made.map(({ name, token }) => [name, token]))
    const port = await freePort()
    const casUrl = `http://127.0.0.1:${port}/r/{repo}/{ref}`
    const hub = await hubHere(join(cwd, 'latchkey-data'), { casUrl })
    tidy.unshift(hub.stop)
    world.hub = hub.url
    if (storage === undefined) return
    const server = createServer(storage)
    tidy.push(() => server.close().closeAllConnections())
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
    const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const flags = { hub: world.hub, casUrl, upstream, isolation: 'upstream', port: String(port) }
    const gate = await gateHere(flags)
    tidy.unshift(gate.stop)
  })
  afterAll(async () => {
    for (const step of tidy) await step()
  })

  let homes = 0
  const home = () => {
    homes += 1
    const made = join(world.root, `home-${homes}`)
    mkdirSync(made)
    return made
  }
  const tokenOf = (name: string) => world.tokens.get(name) ?? ''
  const around = ({ cwd = home(), input = '' }: More = {}) => {
    return { cwd, input, env: { LATCHKEY_HUB: world.hub, LATCHKEY_HUB_TOKEN: tokenOf('laptop') } }
  }
  return {
    get hub() {
      return world.hub
    },
    tokenOf,
    home,
    ask: (args, more) => latchkeyHere(args, around(more)),
  }
}
