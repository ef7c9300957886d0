/** Calls the storage for transfers of the command. */

import { setTimeout } from 'node:timers/promises'
import type { UploadCalls } from '@latchkey/xet'
import {
  type AskStorage,
  type BlobReader,
  backoffMs,
  blobReader,
  type DownloadCalls,
  reconstructOver,
  triesWithin,
  uploadCallsOver,
} from '@latchkey/xet/download'
import type { TransferClient } from '../client/with-client.ts'
import { refusalOf, wholeOf } from './read-answer.ts'
import { defaultRetryTimeoutSeconds } from './retry-timeout.ts'

export function uploadCalls(client: Pick<TransferClient, 'send'>): UploadCalls {
  return uploadCallsOver(askStorage(client))
}

export function downloadCalls(
  client: Pick<TransferClient, 'send' | 'token'>,
  blobs: BlobReader = blobReader(),
  retryTimeoutSeconds: number = defaultRetryTimeoutSeconds,
): DownloadCalls {
  return {
    reconstruct: reconstructOver(
      askStorage(client),
      async () => (await client.token('read')).casUrl,
    ),
    // A blob URL carries its own proof, so the request sends no token.
    readRun: blobs.read,
    pause: (tries) => setTimeout(backoffMs(tries)),
    maxTries: triesWithin(retryTimeoutSeconds),
  }
}

const nothing = Buffer.alloc(0)

function askStorage(client: Pick<TransferClient, 'send'>): AskStorage {
  return async (path, { parts, mayBeMissing = false, ...question }) => {
    const { method = 'GET' } = question
    const response = await client.send(path, { ...question, ...(parts && bodyOf(parts)) })
    const isMissing = response.status === 404 && mayBeMissing
    if (!response.ok && !isMissing) throw await refusalOf(response, { method, path })
    const { headers } = response
    if (!isMissing && parts === undefined) return { headers, bytes: await wholeOf(response) }
    response.discard()
    return isMissing ? undefined : { headers, bytes: nothing }
  }
}

function bodyOf(parts: readonly Uint8Array[]) {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return {
    headers: { 'content-type': 'application/octet-stream', 'content-length': `${length}` },
    // Not put together: what is sent in parts is in memory once, and can be sent again.
    body: () => ReadableStream.from(parts),
  }
}
