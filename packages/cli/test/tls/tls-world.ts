/** A hub and its storage behind TLS with certificates of an issuer that no machine knows, for all tests of a file. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@latchkey/testing/machine/free-port'
import { type Issuer, newIssuer } from '@latchkey/testing/tls/certificates'
import { openTlsFront } from '@latchkey/testing/tls/tls-front'
import { afterAll, beforeAll } from 'vitest'
import { commit } from '../directory-file.ts'
import { type Ended, end, latchkey, ready, type Serving, start } from '../run-latchkey.ts'

const directory = JSON.stringify({
  accounts: [{ name: 'ada', administrator: true }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  repositories: [
    { type: 'model', id: 'acme/bert', visibility: 'private', branches: { main: commit } },
  ],
  hubTokens: [
    { account: 'ada', name: 'laptop', kind: 'write' },
    { account: 'ada', name: 'admin', kind: 'admin' },
    { account: 'ada', name: 'storage', kind: 'storage' },
  ],
})

export interface TlsWorld {
  /** https, of hub and storage. */
  readonly hub: string
  readonly casUrl: string
  readonly issuer: Issuer
  /** Where the hub really listens. */
  readonly plainHub: string
  /** The issuer's certificate, as a file. */
  readonly caCert: string
  tokenOf(name: 'laptop' | 'admin' | 'storage'): string
  home(): string
  ask(args: readonly string[], more?: Asked): Promise<Ended>
  /** Killed when the tests are over. */
  serving(args: readonly string[], more?: Asked): Promise<Serving>
}

export interface Asked {
  readonly cwd?: string
  readonly input?: string
  readonly token?: 'laptop' | 'admin'
  readonly env?: Readonly<Record<string, string>>
}

export function tlsWorld(): TlsWorld {
  const issuer = newIssuer('Latchkey test issuer')
  const world = { root: '', hub: '', casUrl: '', plainHub: '', tokens: new Map<string, string>() }
  const tidy: (() => unknown)[] = []
  beforeAll(async () => {
    world.root = mkdtempSync(join(tmpdir(), 'latchkey-tls-'))
    tidy.push(() => rmSync(world.root, { recursive: true }))
    const cwd = world.root
    writeFileSync(join(cwd, 'ca.pem'), issuer.cert)
    const { stdout } = await latchkey(['apply', '-', '--json'], { cwd, input: directory })
    const made: { name: string; token: string }[] = JSON.parse(stdout).hubTokens
    world.tokens = new Map(made.map(({ name, token }) => [name, token]))
    const [port, storagePort] = [await freePort(), await freePort()]
    world.plainHub = `http://127.0.0.1:${port}`
    const certificate = issuer.issue({ names: ['localhost'] })
    const fronts = [
      await openTlsFront(certificate, world.plainHub),
      await openTlsFront(certificate, `http://127.0.0.1:${storagePort}`),
    ]
    const [hub = '', cas = ''] = fronts.map(({ url }) => url)
    tidy.push(...fronts.map(({ close }) => close))
    Object.assign(world, { hub, casUrl: `${cas}/r/{repo}/{ref}` })
    const ports = ['--port', `${port}`, '--storage-port', `${storagePort}`]
    await serving(['serve', ...ports, '--public-url', hub, '--cas-url', world.casUrl], { cwd })
  })
  afterAll(async () => {
    for (const step of tidy) await step()
  })

  const serving: TlsWorld['serving'] = async (args, { cwd = world.root, env = {} } = {}) => {
    const child = start(args, { cwd, env })
    tidy.unshift(() => end(child))
    return ready(child)
  }
  const tokenOf = (name: string) => world.tokens.get(name) ?? ''
  const home = () => mkdtempSync(join(world.root, 'home-'))
  return {
    get hub() {
      return world.hub
    },
    get casUrl() {
      return world.casUrl
    },
    get plainHub() {
      return world.plainHub
    },
    get caCert() {
      return join(world.root, 'ca.pem')
    },
    ...{ issuer, tokenOf, home, serving },
    ask: (args, { cwd = home(), input = '', token = 'laptop', env = {} } = {}) =>
      latchkey(args, { cwd, input, env: { LATCHKEY_HUB_TOKEN: tokenOf(token), ...env } }),
  }
}
