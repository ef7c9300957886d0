/** Hub and embedded storage behind a proxy with TLS, as the shipped configurations have it. */

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { rounds } from '@latchkey/testing/chance'
import { latchkey, latchkeyJson, type Serving, serve } from '@latchkey/testing/machine/command'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { freePort } from '@latchkey/testing/machine/free-port'
import { isInstalled, pythonClients } from '@latchkey/testing/tools/python-environments'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { casName, hubName, hubProxies, send, writeCertificates } from './hub-proxies.ts'
import { isMissing } from './programs.ts'
import type { RunningProgram } from './running-program.ts'

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

/** Only a soak has the time for a commit of 100 MB, and for every proxy. */
const isSoak = rounds(0, 1) === 1
const client = pythonClients.at(-1)
const hasClient = client !== undefined && isInstalled(client)

for (const name of (['nginx', 'caddy', 'envoy', 'traefik'] as const).slice(0, isSoak ? 4 : 2)) {
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
      proxy = await hubProxies[name](ports, cwd)
      const { port } = new URL(proxy.url)
      ;[hub, cas] = [`https://${hubName}:${port}`, `https://${casName}:${port}`]
      services = await serve(
        [
          ...['--port', `${ports.hub}`, '--storage-port', `${ports.storage}`],
          ...['--public-url', hub, '--cas-url', `${cas}/r/{repo}/{ref}`],
          ...['--trusted-proxies', '127.0.0.1', '--operations-port', '0'],
          ...['--limits-failures-per-minute', '20'],
          ...(isSoak ? ['--forge'] : []),
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
        expect([200, 404, 421]).toContain(answer.status)
      }
    })

    test('what watches the services is not reached from outside', async () => {
      expect((await send(hub, { path: '/metrics' })).status).toBe(404)
      expect((await send(cas, { path: '/metrics' })).status).not.toBe(200)
    })

    // conformance: Operation / The shipped configurations of nginx and Caddy reject wrong uploads early
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

    test.skipIf(!hasClient)(
      'upload_folder sends 100 MB of text in one commit',
      { tags: 'soak', timeout: 300_000 },
      async () => {
        const [files, fileBytes] = [200, 500_000]
        const given = { folder: cwd, files, fileBytes, token, repo: 'acme/text' }
        const ca = join(cwd, 'ca.pem')
        const child = spawn(client?.python ?? '', [join(import.meta.dirname, 'upload_text.py')], {
          stdio: ['pipe', 'pipe', 'inherit'],
          env: {
            ...{ PATH: process.env['PATH'], HOME: cwd, HF_HOME: join(cwd, 'hf') },
            ...{ HF_ENDPOINT: hub, SSL_CERT_FILE: ca, REQUESTS_CA_BUNDLE: ca },
            HF_HUB_DISABLE_PROGRESS_BARS: '1',
          },
        })
        child.stdin.end(JSON.stringify(given))
        const [said] = await Promise.all([text(child.stdout), once(child, 'exit')])
        const { seconds, ...told } = JSON.parse(said)
        process.stdout.write(`upload_folder of 100 MB of text through ${name}: ${seconds} s\n`)
        expect(told).toMatchObject({ bytes: files * fileBytes, large: 0, isSame: true })
        expect(told.commits).toEqual(['text', 'initial commit'])
      },
    )

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
