/** Uploads one file: what the storage lacks of it is sent, and in the end it is registered. */

import type { StorageClient } from '@latchkey/client'
import { uploadCallsOver } from '../storage/storage-calls.ts'
import { startUpload, type UploadedFile, type UploadPace } from '../upload/upload-files.ts'
import { storageAsker } from './ask-storage.ts'
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
    const upload = startUpload(uploadCallsOver(storageAsker(client, transfer.signal)), {
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
