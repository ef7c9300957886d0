/** Reads a file that must stay as it was seen: nobody means half of an old file and half of a new one. */

import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { cannotRead } from '../output/cannot-read.ts'
import { quoteGiven } from '../output/escape.ts'
import { hasChanged } from '../transfer/request-data.ts'

const partBytes = 1024 * 1024

/** A file that was put in its place since, or a link to another one, has another inode. */
export async function* readUnchanged(file: string, seen: Stats): AsyncGenerator<Uint8Array> {
  const handle = await openFile(file)
  try {
    await mustBe(seen, handle, file)
    yield* handle.createReadStream({ autoClose: false, highWaterMark: partBytes })
    await mustBe(seen, handle, file)
  } finally {
    await handle.close()
  }
}

/** A pipe without a writer that stands there by now would hold the process for ever. */
async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    throw cannotRead(file, error)
  }
}

async function mustBe(seen: Stats, handle: FileHandle, file: string): Promise<void> {
  const now = await handle.stat()
  const same = (['dev', 'ino', 'size', 'mtimeMs'] as const).every((key) => now[key] === seen[key])
  if (!same) throw hasChanged(quoteGiven(file))
}
