/** Two hubs and one forge behind a proxy with TLS, as the shipped configurations have it: which request goes where, and with what. */

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hubName, runHubsAndForge, send, writeCertificates } from './hub-proxies.ts'
import { isMissing } from './programs.ts'
import type { RunningProgram } from './running-program.ts'

interface Standin {
  readonly port: number
  stop(): Promise<unknown>
}

interface Got {
  readonly at: string
  readonly target: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Says what it got, and tries to act on the whole origin. */
async function standIn(at: string): Promise<Standin> {
  const server = createServer(async (request, response) => {
    const { url: target, headers } = request
    response.setHeader('Set-Cookie', 'latchkey_session=stolen')
    response.setHeader('Service-Worker-Allowed', '/')
    response.setHeader('Content-Security-Policy', 'script-src *')
    response.end(JSON.stringify({ at, target, headers, body: await text(request) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return { port: (server.address() as AddressInfo).port, stop }
}

const ofHub = [
  ...['/', '/account', '/acme/bert', '/datasets/acme/bert/tree/main', '/acme/bert/blob/main/a'],
  ...['/api/whoami-v2', '/api/models/acme/bert/xet-write-token/refs%2Fpr%2F1', '/login?next=%2Fa'],
  ...['/api/datasets/acme/bert/storage-read-token/main', '/link/v1/forge/claim'],
]

const ofForge = [
  ...['/api/models', '/api/models?author=acme', '/api/datasets/acme/bert/tree/refs%2Fpr%2F1/a%2Fb'],
  ...['/acme/bert.git/info/refs?service=git-upload-pack', '/acme/bert/info/refs?service=x'],
  ...['/datasets/acme/bert.git/git-upload-pack', '/acme/bert.git/git-receive-pack'],
  ...['/acme/bert.git/info/lfs/objects/batch', '/acme/bert/resolve/refs%2Fpr%2F1/a.bin?download=1'],
  ...['/spaces/acme/bert/raw/main/a'],
]

for (const name of ['nginx', 'caddy'] as const) {
  const untested = `that ${name} routes requests to hubs and forge`

  describe.skipIf(isMissing([name], untested))(`two hubs and a forge behind ${name}`, () => {
    const cwd = sharedFolder()
    const servers: Standin[] = []
    let proxy: RunningProgram
    let url = ''
    beforeAll(async () => {
      writeCertificates(cwd)
      for (const at of ['hub', 'hub', 'forge']) servers.push(await standIn(at))
      const [one, two, forge] = servers.map(({ port }) => port)
      proxy = await runHubsAndForge(name, { hubs: [one ?? 0, two ?? 0], forge: forge ?? 0 }, cwd)
      url = `https://${hubName}:${new URL(proxy.url).port}`
    })
    afterAll(async () => {
      await proxy?.stop()
      for (const server of servers) await server.stop()
    })
    const ask = async (path: string, more: Partial<Parameters<typeof send>[1]> = {}) => {
      const { body, headers } = await send(url, { path, ...more })
      return { got: JSON.parse(body) as Got, headers }
    }

    test('content goes to the forge, pages and tokens to a hub, and every path arrives unchanged', async () => {
      const wrong: string[] = []
      for (const [at, paths] of Object.entries({ hub: ofHub, forge: ofForge })) {
        for (const path of paths) {
          const { got } = await ask(path)
          if (got.at !== at || got.target !== path) wrong.push(`${path}: ${got.at} ${got.target}`)
        }
      }
      expect(wrong).toEqual([])
    })

    test('a page of another site is answered by a hub, which knows the allowed origins', async () => {
      const headers = { origin: 'https://app.example' }
      expect((await ask('/api/models/acme/bert', { headers })).got.at).toBe('hub')
    })

    // Threat: a session cookie authorises pages alone.
    test('the forge sees neither a session nor what only a hub says, and acts on no other path', async () => {
      const headers = {
        ...{ cookie: 'latchkey_session=secret', 'latchkey-ticket': 'forged' },
        ...{ 'x-request-id': 'a'.repeat(26), 'x-forwarded-for': '192.0.2.7' },
        authorization: 'Bearer token',
      }
      const { got, headers: answered } = await ask('/api/models/acme/bert', { headers })
      expect(got.at).toBe('forge')
      const { cookie, 'latchkey-ticket': ticket, 'x-request-id': id, ...rest } = got.headers
      expect({ cookie, ticket, id }).toEqual({})
      expect(rest).toMatchObject({ authorization: 'Bearer token', 'x-forwarded-for': '127.0.0.1' })
      expect(rest.host?.split(':')[0]).toBe(hubName)
      expect(answered['set-cookie']).toBeUndefined()
      expect(answered['service-worker-allowed']).toBeUndefined()
      expect(answered['content-security-policy']).toMatch(/^default-src 'none'.*; sandbox$/)
      expect((await ask('/account', { headers })).got.headers.cookie).toBe(headers.cookie)
    })

    test('while the forge is away its paths answer 503 with Retry-After, and the hubs go on', async () => {
      await servers[2]?.stop()
      const { status, headers } = await send(url, { path: '/api/models/acme/bert' })
      expect([status, headers['retry-after']]).toEqual([503, '2'])
      expect((await ask('/acme/bert')).got.at).toBe('hub')
      await servers[0]?.stop()
      for (let count = 0; count < 3; count += 1) {
        expect((await ask('/api/whoami-v2')).got.at).toBe('hub')
      }
    })
  })
}
