/** What an upload asks of the storage, with a token that may write. */

import { LatchkeyError, type StorageClient } from '@latchkey/client'
import type { UploadCalls } from '../upload/upload-calls.ts'
import { askStorage } from './ask-storage.ts'

export function uploadCalls(client: StorageClient, signal: AbortSignal): UploadCalls {
  // One token is enough: a write token may read as well.
  const asking = { scope: 'write', signal } as const
  const send = async (path: string, parts: readonly Uint8Array[]) => {
    // A copy in one piece: no browser streams a request, and it can be sent again.
    const body = new Blob(parts as Uint8Array<ArrayBuffer>[], { type: 'application/octet-stream' })
    const answer = await askStorage(client, path, { ...asking, method: 'POST', body })
    if (answer instanceof LatchkeyError) throw answer
  }
  return {
    async findChunk(chunk) {
      const path = `/v1/chunks/default-merkledb/${chunk}`
      const answer = await askStorage(client, path, asking)
      return isMissing(answer) ? undefined : answer.bytes
    },
    async hasFile(file) {
      const answer = await askStorage(client, `/v1/files/${file}`, { ...asking, method: 'HEAD' })
      // A file of another ref is deleted with that ref, so it is registered for this one as well.
      return !isMissing(answer) && answer.headers.get('x-latchkey-registered') === 'own'
    },
    sendXorb: (xorb, parts) => send(`/v1/xorbs/default/${xorb}`, parts),
    sendShard: (shard) => send('/v1/shards', [shard]),
  }
}

/** Any other "no" is thrown. */
function isMissing(answer: object): answer is LatchkeyError {
  if (!(answer instanceof LatchkeyError)) return false
  if (answer.status === 404) return true
  throw answer
}
