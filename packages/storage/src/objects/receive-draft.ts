/** Writes a body down as it comes, under a name that nobody else has. */

import { type FileHandle, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hasCode, unlessFull } from './file-errors.ts'
import { makeFolder } from './folders.ts'
import type { Draft } from './object-store.ts'

type Body = AsyncIterable<Uint8Array>

export async function receiveDraft(
  file: string,
  body: Body,
  most: number,
): Promise<Draft | undefined> {
  const discard = () => rm(file, { force: true })
  let bytes: number | undefined
  try {
    bytes = await unlessFull(async () => writeBody(await openDraft(file), body, most))
  } finally {
    if (bytes === undefined) await discard()
  }
  return bytes === undefined ? undefined : { file, bytes, discard }
}

async function openDraft(file: string): Promise<FileHandle> {
  try {
    return await openNew(file)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    await makeFolder(dirname(dirname(file)))
    await makeFolder(dirname(file))
    return openNew(file)
  }
}

/** Exclusively: a draft is never written into another. */
function openNew(file: string): Promise<FileHandle> {
  return open(file, 'wx', 0o600)
}

/** How many bytes there were; undefined as soon as there are more than `most`. Closes the file. */
export async function writeBody(
  handle: FileHandle,
  body: Body,
  most: number,
): Promise<number | undefined> {
  try {
    let bytes = 0
    for await (const part of body) {
      bytes += part.length
      if (bytes > most) return undefined
      await writeWhole(handle, part)
    }
    return bytes
  } finally {
    await handle.close()
  }
}

async function writeWhole(handle: FileHandle, part: Uint8Array): Promise<void> {
  let written = 0
  while (written < part.length) {
    written += (await handle.write(part, written)).bytesWritten
  }
}
