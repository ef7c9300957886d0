/** Uploads and downloads as a test wants them: whole, and in pieces of any length. */

import { buffer } from 'node:stream/consumers'
import { downloadFile } from '../src/download/download-file.ts'
import type { Hash } from '../src/format/hash.ts'
import { startUpload, type UploadedFile } from '../src/upload/upload-files.ts'
import type { MemoryStorage } from './memory-storage.ts'

export async function uploadAll(
  storage: MemoryStorage,
  ...contents: readonly Uint8Array[]
): Promise<UploadedFile[]> {
  const upload = startUpload(storage)
  const uploaded: UploadedFile[] = []
  for (const content of contents) uploaded.push(await upload.add(inPieces(content)))
  await upload.finish()
  return uploaded
}

export async function uploadOne(
  storage: MemoryStorage,
  content: Uint8Array,
): Promise<UploadedFile> {
  const [uploaded] = await uploadAll(storage, content)
  if (uploaded === undefined) throw new Error('nothing was uploaded')
  return uploaded
}

export async function downloadWhole(storage: MemoryStorage, file: Hash): Promise<Buffer> {
  const { chunks } = await downloadFile(storage, file)
  return buffer(chunks)
}

export async function* inPieces(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536)
}
