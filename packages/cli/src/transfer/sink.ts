/** Where an answer goes: to standard output, or to a file that it replaces as a whole. */

import { createWriteStream, fchmodSync, realpathSync, type Stats, statSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createDraft } from '../output/draft.ts'
import { cannotWrite } from '../output/new-file.ts'
import { Stop } from '../output/stop.ts'

/** Takes all of the data; a file is changed only by what arrives whole. */
export type Sink = (data: AsyncIterable<Uint8Array>) => Promise<void>

/** Made before the request, so that an answer never has nowhere to go. */
export function openSink(file: string | undefined): Sink {
  if (file === undefined || file === '-') return toStandardOutput
  try {
    return openFile(file, statSync(file, { throwIfNoEntry: false }))
  } catch (error) {
    throw cannotWrite(file, error)
  }
}

/** Who reads our output may stop reading at any time. */
async function toStandardOutput(data: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await pipeline(data, process.stdout, { end: false })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error
  }
}

/** What is no file, such as a device or a pipe with a name, cannot be replaced: it is written to. */
function openFile(file: string, there: Stats | undefined): Sink {
  if (there?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
  if (there?.isFile() === false) return (data) => pour(data, createWriteStream(file), file)
  return replaceWhole(there === undefined ? file : realpathSync(file), there)
}

/** Who may read the file stays as it was; a new one is for its owner. */
function replaceWhole(file: string, there: Stats | undefined): Sink {
  const draft = createDraft(file, 0o600)
  if (there !== undefined) fchmodSync(draft.descriptor, there.mode & 0o777)
  return async (data) => {
    await pour(data, createWriteStream(file, { fd: draft.descriptor, autoClose: false }), file)
    draft.keep()
  }
}

async function pour(
  data: AsyncIterable<Uint8Array>,
  stream: Writable,
  file: string,
): Promise<void> {
  try {
    await pipeline(data, stream)
  } catch (error) {
    throw error instanceof Stop ? error : cannotWrite(file, error)
  }
}
