/** A hub and its storage behind TLS with certificates of an issuer that no machine knows, for all tests of a file. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@latchkey/testing/machine/free-port'
import { type Issuer, type KeyedCertificate, newIssuer } from '@latchkey/testing/tls/certificates'
import { openTlsFront } from '@latchkey/testing/tls/tls-front'
import { afterAll, beforeAll } from 'vitest'
import { commit } from '../directory-file.ts'
import { latchkeyHere } from '../run-here.ts'
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
  /** The issuer's certificate, as a file. */
  readonly caCert: string
  tokenOf(name: 'laptop' | 'admin' | 'storage'): string
  home(): string
  /** The hub at an address of its own: a connection that this process has kept is not checked again. */
  freshHub(certificate?: KeyedCertificate): Promise<string>
  /** In this process. */
  ask(args: readonly string[], more?: Asked): Promise<Ended>
  /** In a process of its own, as people do. */
  askApart(args: readonly string[], more?: Asked): Promise<Ended>
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
    const { stdout } = await latchkeyHere(['apply', '-', '--json'], { cwd, input: directory })
    const made: { name: string; token: string }[] = JSON.parse(stdout).hubTokens
    world.tokens = new Map(made.map(({ name, token }) => [name, token]))
    const [port, storagePort] = [await freePort(), await freePort()]
    world.plainHub = `http://127.0.0.1:${port}`
    const hub = await freshHub()
    const cas = await frontOf(`http://127.0.0.1:${storagePort}`)
    Object.assign(world, { hub, casUrl: `${cas}/r/{repo}/{ref}` })
    const ports = ['--port', `${port}`, '--storage-port', `${storagePort}`]
    await serving(['serve', ...ports, '--public-url', hub, '--cas-url', world.casUrl], { cwd })
  })
  afterAll(async () => {
    for (const step of tidy) await step()
  })

  const frontOf = async (service: string, certificate = issuer.issue({ names: ['localhost'] })) => {
    const { url, close } = await openTlsFront(certificate, service)
    tidy.push(close)
    return url
  }
  const freshHub: TlsWorld['freshHub'] = (certificate) => frontOf(world.plainHub, certificate)
  const serving: TlsWorld['serving'] = async (args, { cwd = world.root, env = {} } = {}) => {
    const child = start(args, { cwd, env })
    tidy.unshift(() => end(child))
    return ready(child)
  }
  const tokenOf = (name: string) => world.tokens.get(name) ?? ''
  const home = () => mkdtempSync(join(world.root, 'home-'))
  const around = ({ cwd = home(), input = '', token = 'laptop', env = {} }: Asked = {}) => {
    return { cwd, input, env: { LATCHKEY_HUB_TOKEN: tokenOf(token), ...env } }
  }
  return {
    get hub() {
      return world.hub
    },
    get casUrl() {
      return world.casUrl
    },
    get caCert() {
      return join(world.root, 'ca.pem')
    },
    ...{ issuer, tokenOf, home, freshHub, serving },
    ask: (args, more) => latchkeyHere(args, around(more)),
    askApart: (args, more) => latchkey(args, around(more)),
  }
}
