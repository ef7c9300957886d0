/** Writes a body down as it comes, under a name that nobody else has. */

import { type FileHandle, open, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hasCode, ifThere, unlessFull } from './file-errors.ts'
import { makeFolders } from './folders.ts'
import type { Draft } from './object-store.ts'
import { syncPath } from './sync-path.ts'

type Body = AsyncIterable<Uint8Array>

export async function receiveDraft(
  file: string,
  body: Body,
  most: number,
): Promise<Draft | undefined> {
  const discard = async () => void (await ifThere(unlink(file)))
  let bytes: number | undefined
  try {
    bytes = await unlessFull(async () => writeBody(await openDraft(file), body, most))
  } finally {
    if (bytes === undefined) await discard()
  }
  const sync = () => unlessFull(() => syncPath(file, 'r+'))
  return bytes === undefined ? undefined : { file, bytes, sync, discard }
}

async function openDraft(file: string): Promise<FileHandle> {
  try {
    return await openNew(file)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    await makeFolders(dirname(dirname(file)))
    return openNew(file)
  }
}

/** Exclusively: a draft is never written into another. */
function openNew(file: string): Promise<FileHandle> {
  return open(file, 'wx', 0o600)
}

/** Written at once: fewer calls, and the next parts come in meanwhile. */
const batchBytes = 256 * 1024

/** How many bytes there were; undefined as soon as there are more than `most`. Closes the file. */
export async function writeBody(
  handle: FileHandle,
  body: Body,
  most: number,
): Promise<number | undefined> {
  let bytes = 0
  let [batch, held]: [Uint8Array[], number] = [[], 0]
  let writing: Promise<void> = Promise.resolve()
  const write = async () => {
    await writing
    writing = writeWhole(handle, batch)
    // Whoever waits for it hears of it.
    writing.catch(() => {})
    ;[batch, held] = [[], 0]
  }
  try {
    for await (const part of body) {
      bytes += part.length
      if (bytes > most) return undefined
      batch.push(part)
      held += part.length
      if (held >= batchBytes) await write()
    }
    await write()
    await writing
    return bytes
  } finally {
    await writing.catch(() => {})
    await handle.close()
  }
}

async function writeWhole(handle: FileHandle, parts: readonly Uint8Array[]): Promise<void> {
  if (parts.length === 0) return
  const { bytesWritten } = await handle.writev(parts)
  const rest =
    bytesWritten < lengthOf(parts) ? Buffer.concat(parts).subarray(bytesWritten) : undefined
  if (rest !== undefined) await writeWhole(handle, [rest])
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}
