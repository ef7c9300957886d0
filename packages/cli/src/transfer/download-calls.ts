/** What a download asks of the storage: the token opens the answer that names URLs, and goes no further. */

import { setTimeout } from 'node:timers/promises'
import type { StorageClient } from '@latchkey/client'
import { type BlobReader, blobReader, type DownloadCalls } from '@latchkey/xet/download'
import { refusalOf } from './read-answer.ts'

export function downloadCalls(
  client: StorageClient,
  blobs: BlobReader = blobReader(),
): DownloadCalls {
  return {
    async reconstruct(file, bytes) {
      const path = `/v1/reconstructions/${file}`
      const headers = bytes === undefined ? {} : { range: `bytes=${bytes.start}-${bytes.end}` }
      const response = await client.fetch(path, { headers })
      if (!response.ok) throw await refusalOf(response, { path })
      const { casUrl: storageUrl } = await client.token('read')
      return { storageUrl, answer: await response.json().catch(() => undefined) }
    },
    // A blob URL carries its own proof, so the request sends no token.
    readRun: blobs.read,
    pause: (tries) => setTimeout(firstPauseMs * 2 ** tries),
  }
}

const firstPauseMs = 50
