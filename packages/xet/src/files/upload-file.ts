/** Uploads one file: what the storage lacks of it is sent, and in the end it is registered. */

import { LatchkeyError, type StorageClient } from '@latchkey/client'
import type { UploadCalls } from '../upload/upload-calls.ts'
import { startUpload, type UploadedFile, type UploadPace } from '../upload/upload-files.ts'
import { askStorage } from './ask-storage.ts'
import { checkSource, type FileSource, lengthOf, partsOf } from './file-source.ts'
import { beginTransfer, type TransferOptions } from './transfer.ts'

const mebibyte = 1024 * 1024

/**
 * Smaller than those of the command: a page has less memory and a slower line, it is told of a xorb only when all of it
 * has arrived, and what is on its way when the line breaks is sent again.
 */
const pace: UploadPace = {
  segments: [
    { bytes: 4 * mebibyte, until: 64 * mebibyte },
    { bytes: 8 * mebibyte, until: 4096 * mebibyte },
    { bytes: 60 * mebibyte, until: Number.POSITIVE_INFINITY },
  ],
  limits: { bytes: 24 * mebibyte, atOnce: 3 },
}

/** The same file is sent again only where the storage does not have it: so an upload that broke off goes on. */
export async function uploadFile(
  client: StorageClient,
  source: FileSource,
  { onProgress = () => {}, signal }: TransferOptions = {},
): Promise<UploadedFile> {
  checkSource(source)
  const transfer = beginTransfer(signal)
  try {
    const total = lengthOf(source)
    onProgress(0, total)
    const upload = startUpload(uploadCalls(client, transfer.signal), {
      onSettled: (bytes) => onProgress(bytes, total),
      pace,
    })
    const uploaded = await transfer.wait(upload.add(partsOf(source, transfer.signal)))
    await transfer.wait(upload.finish())
    onProgress(uploaded.bytes, uploaded.bytes)
    return uploaded
  } finally {
    transfer.end()
  }
}

/** What an upload asks of the storage, with a token that may write. */
function uploadCalls(client: StorageClient, signal: AbortSignal): UploadCalls {
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
