/** What uploads and downloads ask of the storage; the client adds the token and renews it. */

import { setTimeout as delay } from 'node:timers/promises'
import type { StorageClient } from '@latchkey/client'
import { blobReader, type DownloadCalls, type UploadCalls } from '@latchkey/xet'

export function uploadCalls(client: StorageClient): UploadCalls {
  const send = async (path: string, parts: readonly Uint8Array[]) => {
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    const headers = { 'content-length': `${length}` }
    const body = () => ReadableStream.from(parts)
    const answer = await client.fetch(path, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`the storage answers ${answer.status}: ${await answer.text()}`)
    await answer.body?.cancel()
  }
  return {
    async findChunk(chunk) {
      const answer = await client.fetch(`/v1/chunks/default-merkledb/${chunk}`, { scope: 'write' })
      if (answer.ok) return new Uint8Array(await answer.arrayBuffer())
      await answer.body?.cancel()
      if (answer.status !== 404) throw new Error(`the storage answers ${answer.status} to ${chunk}`)
      return undefined
    },
    async hasFile(file) {
      const answer = await client.fetch(`/v1/files/${file}`, { method: 'HEAD', scope: 'write' })
      return answer.ok && answer.headers.get('x-latchkey-registered') === 'own'
    },
    sendXorb: (xorb, parts) => send(`/v1/xorbs/default/${xorb}`, parts),
    sendShard: (shard) => send('/v1/shards', [shard]),
  }
}

export function downloadCalls(client: StorageClient): DownloadCalls {
  return {
    async reconstruct(file, bytes) {
      const headers = bytes === undefined ? {} : { range: `bytes=${bytes.start}-${bytes.end}` }
      const answer = await client.fetch(`/v1/reconstructions/${file}`, { headers })
      if (!answer.ok) throw new Error(`the storage answers ${answer.status} to ${file}`)
      const { casUrl: storageUrl } = await client.token('read')
      return { storageUrl, answer: await answer.json() }
    },
    readRun: blobReader().read,
    pause: (tries) => delay(50 * 2 ** tries),
  }
}
