/** Steady uploads of small files by the client, which has its tokens from each hub in turn. */

import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { rounds } from '@latchkey/testing/chance'
import { createFileClient, type FileClient } from '@latchkey/xet/files'
import type { Hub } from './site.ts'

export interface Uploaded {
  /** Where its token is from. */
  readonly hub: Hub
  readonly sentAt: number
  readonly answeredAt: number
  /** Left out if the storage has acknowledged it. */
  readonly failure?: string
}

export interface Uploads {
  readonly uploaded: readonly Uploaded[]
  /** No further one is begun, and all are over. */
  stop(): Promise<void>
  /** Whether each upload that was acknowledged can be downloaded. */
  uploadsKept(): Promise<boolean>
}

const everyMs = rounds(1000, 300)
/** Once each hub has had some. */
const laterEveryMs = rounds(3000, 300)
const bytesOfEach = 4096
/** A new client asks for a new token. */
const uploadsWithOneToken = 5
/** While the storage waits for a hub that is stopped, no more are begun. */
const maxAtOnce = 20

export function startUploads(hubs: readonly Hub[], hubToken: string): Uploads {
  const uploaded: Uploaded[] = []
  const acknowledged = new Map<string, Buffer>()
  const running = new Set<Promise<void>>()
  const open = ({ url }: Hub) =>
    createFileClient({ hubUrl: url, hubToken, repo: 'models/n-steady/r' })
  const clients = new Map<Hub, FileClient>()
  const clientFor = (hub: Hub, count: number) => {
    const isWornOut = Math.floor(count / hubs.length) % uploadsWithOneToken === 0
    const client = (isWornOut ? undefined : clients.get(hub)) ?? open(hub)
    clients.set(hub, client)
    return client
  }
  const upload = async (hub: Hub, client: FileClient) => {
    const sentAt = Date.now()
    const content = randomBytes(bytesOfEach)
    const failure = await client.upload(content).then(({ hash }) => {
      acknowledged.set(hash, content)
      return undefined
    }, String)
    uploaded.push({
      hub,
      sentAt,
      answeredAt: Date.now(),
      ...(failure !== undefined && { failure }),
    })
  }
  let isOver = false
  const begin = async () => {
    for (let count = 0; !isOver; count += 1) {
      const hub = hubs[count % hubs.length] as Hub
      const one = upload(hub, clientFor(hub, count)).finally(() => running.delete(one))
      running.add(one)
      if (running.size >= maxAtOnce) await Promise.race(running)
      await delay(count < 3 * hubs.length ? everyMs : laterEveryMs)
    }
  }
  const beginning = begin()
  return {
    uploaded,
    async stop() {
      isOver = true
      await beginning
      await Promise.all(running)
    },
    async uploadsKept() {
      const client = open(hubs[0] as Hub)
      for (const [hash, content] of acknowledged) {
        const download = await client.download(hash)
        const bytes = Buffer.from(await (await download.blob()).arrayBuffer())
        if (!bytes.equals(content)) return false
      }
      return true
    },
  }
}
