/** What a download asks of the storage: the token opens the answer that names URLs, and goes no further. */

import { LatchkeyError, type StorageClient } from '@latchkey/client'
import type { BlobReader, DownloadCalls } from '../download/download-calls.ts'
import { askStorage } from './ask-storage.ts'
import { pause } from './pause.ts'

export function downloadCalls(
  client: StorageClient,
  blobs: BlobReader,
  signal: AbortSignal,
): DownloadCalls {
  return {
    async reconstruct(file, bytes) {
      const path = `/v1/reconstructions/${file}`
      const headers = bytes === undefined ? {} : { range: `bytes=${bytes.start}-${bytes.end}` }
      const answer = await askStorage(client, path, { headers, signal })
      if (answer instanceof LatchkeyError) throw answer
      const { casUrl: storageUrl } = await client.token('read', { signal })
      return { storageUrl, answer: jsonIn(answer.bytes) }
    },
    async readRun(request, into) {
      signal.throwIfAborted()
      const arrived = await blobs.read(request, into)
      signal.throwIfAborted()
      return arrived
    },
    pause: (tries) => pause(tries, signal),
  }
}

/** Undefined for invalid JSON, which `readReconstruction` refuses. */
function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
