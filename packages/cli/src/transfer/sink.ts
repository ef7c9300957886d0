/** Where an answer goes: to standard output, or to a file that it replaces as a whole. */

import { createWriteStream, fchmodSync, realpathSync, type Stats, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { cannotWrite, createDraft } from '../output/new-file.ts'
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

/** The reader of our output may stop at any time. */
async function toStandardOutput(data: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await pipeline(data, process.stdout, { end: false })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error
  }
}

/** A device or a named pipe cannot be replaced, so this writes to it. */
function openFile(file: string, there: Stats | undefined): Sink {
  if (there?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
  if (file === '' || file.endsWith('/')) throw new Error('it names no file')
  if (there?.isFile() === false)
    return (data) => explainFailure(file, pipeline(data, createWriteStream(file)))
  return replaceWhole(there === undefined ? file : realpathSync(file), there)
}

/** Keeps the permissions of an existing file; a new one is for its owner. */
function replaceWhole(file: string, there: Stats | undefined): Sink {
  const draft = createDraft(file, 0o600)
  if (there !== undefined) fchmodSync(draft.descriptor, there.mode & 0o777)
  return async (data) => {
    const stream = createWriteStream(file, { fd: draft.descriptor, autoClose: false })
    await explainFailure(file, pipeline(data, stream).then(draft.keep))
  }
}

async function explainFailure(file: string, writing: Promise<void>): Promise<void> {
  try {
    await writing
  } catch (error) {
    throw error instanceof Stop ? error : cannotWrite(file, error)
  }
}
