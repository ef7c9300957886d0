/** Everything that a page needs around it: a hub, a gate before a storage, and a server of pages. */

import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startGateway } from '@latchkey/gateway'
import { gatewaySettings } from '@latchkey/testing/gate/gateway'
import { acme } from '@latchkey/testing/hub/acme'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { freePort } from '@latchkey/testing/machine/free-port'
import { pages } from './pages.ts'
import { openStorage, type SmallStorage } from './small-storage.ts'

/** The clock of hub and gate follows the machine's, which dates their answers. */
export interface Stage {
  readonly world: World
  readonly storage: SmallStorage
  /** Of the pages; a browser takes every name under localhost for this machine. */
  readonly origins: Readonly<Record<'listed' | 'halfListed' | 'stranger', string>>
  /** How many tokens the hub has given out. */
  issued(): number
  close(): Promise<void>
}

/** As short as a hub allows. */
export const lifetimeSeconds = 120

export async function openStage(): Promise<Stage> {
  const storage = openStorage()
  const pageServer = await listen(await pages())
  const storageServer = await listen(storage.listener)
  const { port: pagePort } = new URL(pageServer.url)
  const origins = {
    listed: `http://listed.localhost:${pagePort}`,
    halfListed: `http://half-listed.localhost:${pagePort}`,
    stranger: `http://stranger.localhost:${pagePort}`,
  }
  // The hub must know where the gate will be, and the gate where the hub is.
  const gatePort = await freePort()
  const casUrl = `http://127.0.0.1:${gatePort}/r/{repo}/{ref}`
  const world = await startWorld(acme, {
    casUrl,
    token: { lifetimeSeconds },
    cors: { origins: [origins.listed, origins.halfListed] },
  })
  const gate = await startGateway(
    gatewaySettings(world.hub.url, storageServer.url, {
      port: gatePort,
      casUrl,
      issuer: world.settings.publicUrl,
      cors: { origins: [origins.listed] },
    }),
    { clock: world.now, lines: { write() {}, async close() {} } },
  )
  // In small steps: after a jump the gate's news of revocations would be too old, and it would refuse.
  const catchUp = () => world.passSeconds(Math.floor(Date.now() / 1000) - world.now())
  const following = setInterval(catchUp, 500)
  return {
    ...{ world, storage, origins },
    issued: () => world.logLines.filter((line) => line.includes('"token_issued"')).length,
    async close() {
      clearInterval(following)
      await gate.stop()
      await world.close()
      await Promise.all([storageServer.close(), pageServer.close()])
    },
  }
}

interface Listening {
  readonly url: string
  close(): Promise<void>
}

async function listen(listener: RequestListener): Promise<Listening> {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}
