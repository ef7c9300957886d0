/** Long bodies on their way to a hub, and a database that is unavailable for a moment, behind the shipped proxy files. */

import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hubName, hubProxies, runManyHubs, send, writeCertificates } from './hub-proxies.ts'
import { isMissing } from './programs.ts'

const folder = sharedFolder()
beforeAll(() => writeCertificates(folder))

async function listening(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const runs = {
  ...hubProxies,
  'nginx before several hubs': ({ hub }: { hub: number }, certificates: string) =>
    runManyHubs([hub, hub, hub], certificates),
}

const programOf = (name: keyof typeof runs) =>
  name === 'nginx before several hubs' ? 'nginx' : name

describe.each(Object.keys(runs) as (keyof typeof runs)[])('%s', (name) => {
  const untested = `that a long commit streams through ${name}`

  test.skipIf(isMissing([programOf(name)], untested))(
    'hands the first part of a commit of 1 GiB to the hub while the rest is not sent yet',
    async () => {
      const part = Buffer.alloc(256 * 1024)
      const hub = await listening((request, response) => {
        let bytes = 0
        request.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes === part.length) response.end(`${bytes} bytes`)
        })
        if (request.method === 'GET') response.end()
      })
      const proxy = await runs[name]({ hub, storage: hub }, folder)
      onTestFinished(proxy.stop)
      const { port } = new URL(proxy.url)
      const answer = await send(`https://${hubName}:${port}`, {
        ...{ method: 'POST', path: '/api/models/acme/bert/commit/main', part },
        headers: { 'content-length': String(1024 ** 3) },
      })
      expect([answer.status, answer.body]).toEqual([200, `${part.length} bytes`])
    },
  )
})

const untestedBlip = 'that hubs are asked again at once after their database was unavailable'

test.skipIf(isMissing(['nginx'], untestedBlip))(
  'nginx asks hubs again at once that all answered 503 a moment ago',
  async () => {
    let isDatabaseThere = false
    const hub: RequestListener = (_, response) =>
      response.writeHead(isDatabaseThere ? 200 : 503).end('of a hub')
    const hubs = [await listening(hub), await listening(hub), await listening(hub)] as const
    const proxy = await runManyHubs(hubs, folder)
    onTestFinished(proxy.stop)
    const url = `https://${hubName}:${new URL(proxy.url).port}`
    for (let count = 0; count < 4; count += 1) {
      expect((await send(url, { path: '/api/whoami' })).status).toBe(503)
    }
    isDatabaseThere = true
    const { status, body } = await send(url, { path: '/api/whoami' })
    expect([status, body]).toEqual([200, 'of a hub'])
  },
)
