/** Hub and embedded storage behind a proxy with TLS, as the shipped configurations have it. */

import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { latchkey, latchkeyJson, type Serving, serve } from '@latchkey/testing/machine/command'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { freePort } from '@latchkey/testing/machine/free-port'
import { newIssuer } from '@latchkey/testing/tls/certificates'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { caddyWith } from './caddy.ts'
import { nginxWith } from './nginx.ts'
import { isMissing } from './programs.ts'
import type { RunningProgram } from './running-program.ts'
import { type Replacement, shipped } from './shipped.ts'

/** Two names of this machine that need no resolver: one for the hub, one for the storage. */
const [hubName, casName] = ['localhost', '127.0.0.1']

const issuer = newIssuer('Latchkey test issuer')

interface Ports {
  readonly hub: number
  readonly storage: number
}

type Run = (ports: Ports, certificates: string) => Promise<RunningProgram>

function files(folder: string): readonly Replacement[] {
  return [['/etc/ssl/latchkey', folder]]
}

const runs: Readonly<Record<'nginx' | 'caddy', Run>> = {
  nginx: ({ hub, storage }, folder) =>
    nginxWith((port) =>
      shipped('nginx/hub-and-storage.conf', [
        ...files(folder),
        ['127.0.0.1:8080', `127.0.0.1:${hub}`],
        ['127.0.0.1:8081', `127.0.0.1:${storage}`],
        ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
        ['server_name hub.example', `server_name ${hubName}`],
        ['server_name cas.example', `server_name ${casName}`],
      ]),
    ),
  caddy: ({ hub, storage }, folder) =>
    caddyWith((port) =>
      shipped('caddy/hub-and-storage.Caddyfile', [
        ...files(folder),
        ['127.0.0.1:8080', `127.0.0.1:${hub}`],
        ['127.0.0.1:8081', `127.0.0.1:${storage}`],
        ['\nhub.example {', `\nhttps://${hubName}:${port} {\n\tbind 127.0.0.1`],
        ['\ncas.example {', `\nhttps://${casName}:${port} {\n\tbind 127.0.0.1`],
      ]),
    ),
}

const commit = 'a'.repeat(40)
const directory = {
  accounts: [{ name: 'ada', administrator: true }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  repositories: [
    {
      ...{ type: 'model', id: 'acme/bert', visibility: 'private' },
      branches: { main: commit, 'feature/x': commit },
    },
  ],
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
}

for (const [name, run] of Object.entries(runs) as ['nginx' | 'caddy', Run][]) {
  const untested = `that hub and storage behind ${name} with TLS serve the command`

  describe.skipIf(isMissing([name], untested))(`hub and storage behind ${name} with TLS`, () => {
    const cwd = sharedFolder()
    let proxy: RunningProgram
    let services: Serving
    let hub = ''
    let cas = ''
    let token = ''

    beforeAll(async () => {
      writeCertificates(cwd)
      writeFileSync(join(cwd, 'directory.json'), JSON.stringify(directory))
      const applied = await latchkeyJson<{ hubTokens: { token: string }[] }>(
        ['apply', 'directory.json'],
        { cwd },
      )
      token = applied.hubTokens[0]?.token ?? ''
      const ports = { hub: await freePort(), storage: await freePort() }
      proxy = await run(ports, cwd)
      const { port } = new URL(proxy.url)
      ;[hub, cas] = [`https://${hubName}:${port}`, `https://${casName}:${port}`]
      services = await serve(
        [
          ...['--port', `${ports.hub}`, '--storage-port', `${ports.storage}`],
          ...['--public-url', hub, '--cas-url', `${cas}/r/{repo}/{ref}`],
          ...['--trusted-proxies', '127.0.0.1', '--operations-port', '0'],
          ...['--limits-failures-per-minute', '20'],
        ],
        { cwd },
      )
    })
    afterAll(async () => {
      await services?.end()
      await proxy?.stop()
    })

    const ask = (...args: readonly string[]) =>
      latchkey([...args, '--hub', hub, '--ca-cert', 'ca.pem'], {
        cwd,
        env: { LATCHKEY_HUB_TOKEN: token },
      })

    test('under a name that is not theirs neither answers', async () => {
      const asked = { path: '/', headers: { host: 'evil.example', accept: 'text/html' } }
      for (const url of [hub, cas]) {
        const answer = await send(url, asked)
        expect(answer.body).not.toContain('<h1>')
        expect([200, 421]).toContain(answer.status)
      }
    })

    test('what watches the services is not reached from outside', async () => {
      expect((await send(hub, { path: '/metrics' })).status).toBe(404)
      expect((await send(cas, { path: '/metrics' })).status).not.toBe(200)
    })

    test('a wrong upload of any size is refused before all of it is sent', async () => {
      const headers = { authorization: 'Bearer x', 'content-length': String(1024 ** 3) }
      const path = `/r/a/b/v1/xorbs/default/${'0'.repeat(64)}`
      const answer = await send(cas, { method: 'POST', path, headers, part: Buffer.alloc(4096) })
      expect(answer.status).toBe(401)
    })

    test('a wrong token of 60000 characters is told as one', async () => {
      const headers = { authorization: `Bearer ${'x'.repeat(60_000)}` }
      expect((await send(hub, { path: '/api/whoami', headers })).status).toBe(401)
      expect((await send(cas, { path: '/r/a/b/v1/shards', headers })).status).toBe(401)
    })

    test('a file goes up and comes back, to a branch with a slash in its name', async () => {
      const content = randomBytes(3_000_000)
      writeFileSync(join(cwd, 'file.bin'), content)
      const target = 'models/acme/bert@feature/x'
      const up = await ask('upload', target, 'file.bin')
      expect(up).toMatchObject({ code: 0 })
      const down = await ask('download', target, up.stdout.trim(), '-o', 'back.bin')
      expect(down).toMatchObject({ code: 0 })
      expect(readFileSync(join(cwd, 'back.bin')).equals(content)).toBe(true)
    })

    test('a browser sees the pages of both', async () => {
      for (const [url, title] of [
        [hub, 'Latchkey hub'],
        [cas, 'Latchkey storage'],
      ] as const) {
        const { status, body } = await send(url, { path: '/', headers: { accept: 'text/html' } })
        expect(status).toBe(200)
        expect(body).toContain(`<h1>${title}</h1>`)
      }
    })

    test('a client cannot name another address to be counted under', async () => {
      const statuses = new Set<number>()
      for (let count = 0; count < 30; count += 1) {
        const headers = { authorization: 'Bearer wrong', 'x-forwarded-for': `10.0.0.${count}` }
        statuses.add((await send(hub, { path: '/api/whoami', headers })).status)
      }
      expect(statuses).toEqual(new Set([401, 429]))
    })
  })
}

/** Both names are in one certificate, which each file of the example holds. */
function writeCertificates(folder: string): void {
  const { cert, key } = issuer.issue({ names: [hubName, casName] })
  writeFileSync(join(folder, 'ca.pem'), issuer.cert)
  for (const name of ['hub.example', 'cas.example']) {
    writeFileSync(join(folder, `${name}.pem`), cert)
    writeFileSync(join(folder, `${name}.key`), key)
  }
}

interface Sent {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Of a body that is never sent whole. */
  readonly part?: Buffer
}

/** Settles when the answer is whole, also if the request is not. */
function send(url: string, { part, ...options }: Sent): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const { hostname } = new URL(url)
    // Otherwise Node takes the name for TLS from the Host header; an address is none.
    const servername = isIP(hostname) === 0 ? hostname : ''
    const asked = request(url, { ...options, ca: issuer.cert, agent: false, servername })
    asked.on('error', reject)
    asked.on('response', async (response) => {
      const body = await text(response).catch(() => '')
      asked.destroy()
      resolve({ status: response.statusCode ?? 0, body })
    })
    if (part === undefined) asked.end()
    else asked.write(part)
  })
}
