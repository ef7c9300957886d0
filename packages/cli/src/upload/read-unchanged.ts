/** Reads a file that must stay as it was seen: nobody means half of an old file and half of a new one. */

import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { quoteGiven } from '@latchkey/service/text/escape'
import { readParts } from '@latchkey/xet'
import { cannotRead } from '../output/cannot-read.ts'
import { Stop } from '../output/stop.ts'
import { hasChanged } from '../transfer/request-data.ts'

/** Read at once, without memory for two parts. */
const smallBytes = 1024 * 1024

/** A file that was put in its place since, or a link to another one, has another inode. */
export async function* readUnchanged(file: string, seen: Stats): AsyncGenerator<Uint8Array> {
  const handle = await openFile(file)
  try {
    await mustBe(seen, handle, file)
    if (seen.size <= smallBytes) yield await handle.readFile()
    else yield* readParts(handle)
    await mustBe(seen, handle, file)
  } catch (error) {
    throw error instanceof Stop ? error : cannotRead(file, error)
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
