/** What an upload asks of the storage, with a token that may write. */

import type { UploadCalls } from '@latchkey/xet'
import type { TransferClient } from '../client/with-client.ts'
import { refusalOf, wholeOf } from './read-answer.ts'

export function uploadCalls(client: Pick<TransferClient, 'send'>): UploadCalls {
  const send = async (path: string, parts: readonly Uint8Array[]) => {
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    const headers = { 'content-type': 'application/octet-stream', 'content-length': `${length}` }
    // Not put together: what is sent in parts is in memory once, and can be sent again.
    const body = () => ReadableStream.from(parts)
    const response = await client.send(path, { method: 'POST', headers, body })
    if (!response.ok) throw await refusalOf(response, { method: 'POST', path })
    response.discard()
  }
  return {
    async findChunk(chunk) {
      const path = `/v1/chunks/default-merkledb/${chunk}`
      // One token does for all: who may write may read.
      const response = await client.send(path, { scope: 'write' })
      if (response.ok) return wholeOf(response)
      if (response.status !== 404) throw await refusalOf(response, { path })
      response.discard()
      return undefined
    },
    async hasFile(file) {
      const path = `/v1/files/${file}`
      const response = await client.send(path, { method: 'HEAD', scope: 'write' })
      // What another ref has can go with that ref, so it is registered here as well.
      if (response.ok) return response.headers.get('x-latchkey-registered') === 'own'
      if (response.status === 404) return false
      throw await refusalOf(response, { method: 'HEAD', path })
    },
    sendXorb: (xorb, parts) => send(`/v1/xorbs/default/${xorb}`, parts),
    sendShard: (shard) => send('/v1/shards', [shard]),
  }
}
