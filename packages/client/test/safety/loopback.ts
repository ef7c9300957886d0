/** A hub, a storage and a stranger as real servers on this machine, asked by the platform's own fetch. */

import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import {
  createStorageClient,
  type StorageClient,
  type StorageClientOptions,
} from '../../src/index.ts'
import { hubToken } from '../world.ts'

export const accessToken = 'access.token.of.ada'

export interface RealWorld {
  readonly hubUrl: string
  readonly storageUrl: string
  readonly strangerUrl: string
  /** The Authorization headers that each of them got. */
  readonly heard: {
    readonly hub: string[]
    readonly storage: string[]
    readonly stranger: string[]
  }
  /** Answer instead of the hub or the storage. */
  hub: RequestListener | undefined
  storage: RequestListener | undefined
  client(change?: Partial<StorageClientOptions>): StorageClient
}

export async function openRealWorld(): Promise<RealWorld> {
  const heard = { hub: [] as string[], storage: [] as string[], stranger: [] as string[] }
  const issue: RequestListener = (_request, response) => {
    const exp = Math.floor(Date.now() / 1000) + 900
    response.end(JSON.stringify({ accessToken, exp, casUrl: `${storageUrl}/r/bert` }))
  }
  const echo: RequestListener = (request, response) => request.pipe(response)
  const hubUrl = await serving((request, response) => {
    hear(heard.hub, request)
    ;(world.hub ?? issue)(request, response)
  })
  const storageUrl = await serving((request, response) => {
    hear(heard.storage, request)
    ;(world.storage ?? echo)(request, response)
  })
  const strangerUrl = await serving((request, response) => {
    hear(heard.stranger, request)
    response.end('got you')
  })
  const world: RealWorld = {
    ...{ hubUrl, storageUrl, strangerUrl, heard, hub: undefined, storage: undefined },
    client(change = {}) {
      const options = { hubUrl, hubToken, repo: 'models/acme/bert', retryTimeoutSeconds: 0 }
      const client = createStorageClient({ ...options, ...change })
      onTestFinished(() => client.close())
      return client
    },
  }
  return world
}

function hear(heard: string[], request: IncomingMessage): void {
  heard.push(request.headers.authorization ?? 'nothing')
}

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
