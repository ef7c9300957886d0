/** The data of a request: the text itself, a file, or standard input. */

import {
  accessSync,
  constants,
  createReadStream,
  openAsBlob,
  openSync,
  type Stats,
  statSync,
} from 'node:fs'
import { Socket } from 'node:net'
import type { RequestBody } from '@latchkey/client'
import { quoteGiven } from '@latchkey/service/text'
import { cannotRead } from '../output/cannot-read.ts'
import { type Stop, unavailable } from '../output/stop.ts'

/** As curl reads it: `@file` and `@-` name where the data is, everything else is the data. */
export function readData(data: string): RequestBody {
  if (!data.startsWith('@')) return Buffer.from(data)
  return openData(data.slice(1))
}

export type FileData = (() => Promise<Blob>) | AsyncIterable<Uint8Array>

/** A file, or standard input where that is called `-`. */
export function openData(file: string): FileData {
  return file === '-' ? process.stdin : fileData(file)
}

/** A file can be sent again, a pipe with a name cannot. What is wrong is told before a token is asked for. */
function fileData(file: string): FileData {
  const first = statusOf(file)
  if (first.isFile()) return () => sameAgain(file, first)
  return first.isFIFO() ? openPipe(file) : readDevice(file)
}

/** Opened in the usual way, a pipe that nobody writes to would hold the process for ever. */
function openPipe(file: string): Socket {
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    return new Socket({ fd, readable: true, writable: false })
  } catch (error) {
    throw cannotRead(file, error)
  }
}

async function* readDevice(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file)
  } catch (error) {
    throw cannotRead(file, error)
  }
}

/** Refuses a file that changed in between: half of the old and half of the new one is of no use. */
function sameAgain(file: string, { size, mtimeMs }: Stats): Promise<Blob> {
  const now = statusOf(file)
  if (now.size !== size || now.mtimeMs !== mtimeMs) throw hasChanged(quoteGiven(file))
  return openAsBlob(file)
}

/** An error of the platform as a person understands it; any other as it is. */
export function explainBrokenData(error: unknown): unknown {
  const isBroken = error instanceof DOMException && error.name === 'NotReadableError'
  return isBroken ? hasChanged('the data') : error
}

export function hasChanged(what: string): Stop {
  return unavailable(
    `${what} has changed during the upload; run the command again when no program writes to it`,
  )
}

function statusOf(file: string): Stats {
  try {
    const status = statSync(file)
    if (status.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
    accessSync(file, constants.R_OK)
    return status
  } catch (error) {
    throw cannotRead(file, error)
  }
}
