/** Bodies on their way: each is written down as it comes, under a name that nobody else has. */

import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { hasCode, ifThere, unlessFull } from '../file-errors.ts'
import type { DraftWriter, OpenDraft } from '../object-store.ts'
import type { Buffers } from './buffers.ts'

interface BodyToWrite {
  /** A part is no longer needed when the next is asked for. */
  readonly body: AsyncIterable<Uint8Array>
  readonly most: number
}

interface NewDraftFile {
  readonly file: string
  /** Somebody may have removed the folder since the start. */
  makeFolders(): Promise<void>
}

/** Gives how long it is; undefined when it is longer than `most`. A body that does not arrive whole leaves nothing. */
export async function receiveDraft(
  body: BodyToWrite,
  { file, makeFolders }: NewDraftFile,
  memory: Buffers,
): Promise<number | undefined> {
  let bytes: number | undefined
  const open = () => openNewDraft({ file, makeFolders })
  try {
    bytes = await unlessFull(async () => writeBody(await open(), body, memory))
    return bytes
  } finally {
    if (bytes === undefined) await removeFile(file)
  }
}

export async function removeFile(file: string): Promise<void> {
  await ifThere(unlink(file))
}

async function openNewDraft({ file, makeFolders }: NewDraftFile): Promise<FileHandle> {
  try {
    return await openNew(file)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    await makeFolders()
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
  { body, most }: BodyToWrite,
  memory: Buffers,
): Promise<number | undefined> {
  const pair = memory.take()
  let [batch, rest] = pair
  let [bytes, held] = [0, 0]
  let writing: Promise<void> = Promise.resolve()
  const write = async () => {
    await writing
    writing = writeWhole(handle, batch.subarray(0, held))
    // Whoever waits for it hears of it.
    writing.catch(() => {})
    ;[batch, rest, held] = [rest, batch, 0]
  }
  try {
    for await (const part of body) {
      bytes += part.length
      if (bytes > most) return undefined
      for (let left = part; left.length > 0; ) {
        const some = left.subarray(0, batch.length - held)
        batch.set(some, held)
        held += some.length
        left = left.subarray(some.length)
        if (held === batch.length) await write()
      }
    }
    await write()
    await writing
    return bytes
  } finally {
    await writing.catch(() => {})
    memory.give(pair)
    await handle.close()
  }
}

async function writeWhole(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let left = bytes; left.length > 0; ) {
    const { bytesWritten } = await handle.write(left)
    left = left.subarray(bytesWritten)
  }
}

const readLength = 64 * 1024

export async function* readDraft(file: string): AsyncGenerator<Uint8Array, void> {
  const handle = await open(file)
  try {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(readLength))
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

export function openDraft(file: string): OpenDraft {
  const descriptor = openSync(file, 'r+')
  return {
    read: (into) => readSync(descriptor, into),
    complete(table) {
      ftruncateSync(descriptor, table.packedBytes)
      writeAll(descriptor, table.encoded(), table.packedBytes)
    },
    close: () => closeSync(descriptor),
  }
}

/** The folder is there: the body that is packed lies in it. */
export function createDraft(file: string): DraftWriter {
  const descriptor = openSync(file, 'wx', 0o600)
  let end = 0
  return {
    write(bytes) {
      writeAll(descriptor, bytes, end)
      end += bytes.length
    },
    close: () => closeSync(descriptor),
  }
}

function writeAll(descriptor: number, bytes: Uint8Array, position: number): void {
  let written = 0
  while (written < bytes.length) {
    const left = bytes.length - written
    written += writeSync(descriptor, bytes, written, left, position + written)
  }
}
