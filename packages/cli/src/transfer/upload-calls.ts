/** What an upload asks of the storage, with a token that may write. */

import type { StorageClient } from '@latchkey/client'
import type { UploadCalls } from '@latchkey/storage/transfer'
import { refusalOf } from './read-answer.ts'

export function uploadCalls(client: StorageClient): UploadCalls {
  const send = async (path: string, body: Blob | Uint8Array<ArrayBuffer>) => {
    const headers = { 'content-type': 'application/octet-stream' }
    const response = await client.fetch(path, { method: 'POST', headers, body })
    if (!response.ok) throw await refusalOf(response, { method: 'POST', path })
    await response.body?.cancel()
  }
  return {
    async findChunk(chunk) {
      const path = `/v1/chunks/default-merkledb/${chunk}`
      // One token does for all: who may write may read.
      const response = await client.fetch(path, { scope: 'write' })
      if (response.ok) return new Uint8Array(await response.arrayBuffer())
      if (response.status !== 404) throw await refusalOf(response, { path })
      await response.body?.cancel()
      return undefined
    },
    sendXorb: (xorb, bytes) => send(`/v1/xorbs/default/${xorb}`, bytes),
    sendShard: (shard) => send('/v1/shards', new Uint8Array(shard)),
  }
}
