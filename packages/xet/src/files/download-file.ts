/** Downloads one file, as a stream that is checked at its end. */

import { LatchkeyError, type StorageClient } from '@latchkey/client'
import { kindOf, type OptionTypes } from '@latchkey/protocol'
import { blobReader } from '#blob-reader'
import type { BlobReader, DownloadCalls } from '../download/download-calls.ts'
import { downloadFile as openFile } from '../download/download-file.ts'
import { parseHash } from '../format/hash.ts'
import { reconstructOver } from '../storage/storage-calls.ts'
import { pause, storageAsker } from './ask-storage.ts'
import { beginTransfer, type Transfer, type TransferOptions, transferTypes } from './transfer.ts'

export interface DownloadOptions extends TransferOptions {
  /**
   * The first byte that is given. A download that begins later than byte 0 cannot be compared with
   * the hash of the file.
   *
   * @default 0
   */
  readonly from?: number
}

export const downloadTypes: OptionTypes<DownloadOptions> = { ...transferTypes, from: 'number' }

/** Read it once, in one of three ways. Each fails at its end if the bytes were not those of the file: use nothing before that. */
export interface FileDownload extends AsyncIterable<Uint8Array<ArrayBuffer>> {
  /** Bytes of the whole file, even if the download begins further on. */
  readonly bytes: number
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>
  /** A browser keeps a large one on disk. */
  blob(): Promise<Blob>
}

/** Two of them are in memory at once. */
const pieceBytes = 8 * 1024 * 1024

export async function downloadFile(
  client: StorageClient,
  text: string,
  { from = 0, onProgress = () => {}, signal }: DownloadOptions = {},
): Promise<FileDownload> {
  const hash = typeof text === 'string' ? parseHash(text) : undefined
  if (hash === undefined) {
    const got = typeof text === 'string' ? 'another text' : kindOf(text)
    throw new LatchkeyError(
      'bad_option',
      `hash must be the 64 hexadecimal digits that upload gave, as in (await files.upload(…)).hash, and is ${got}.`,
    )
  }
  const transfer = beginTransfer(signal)
  const blobs = blobReader()
  transfer.signal.addEventListener('abort', () => blobs.close(), { once: true })
  let position = from
  let total = 0
  const onPlaced = (more: number) => {
    position = Math.min(position + more, total)
    onProgress(position, total)
  }
  try {
    const calls = downloadCalls(client, blobs, transfer.signal)
    const opening = openFile(calls, hash, { from, pieceBytes, onPlaced })
    const { bytes, chunks } = await transfer.wait(opening)
    total = bytes
    onProgress(from, bytes)
    return fileDownload(bytes, untilOver(chunks, transfer), transfer)
  } catch (error) {
    transfer.end()
    throw error
  }
}

/** A reader that stops early ends the requests as well. */
async function* untilOver(
  chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>,
  transfer: Transfer,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  try {
    for (;;) {
      const { done, value } = await transfer.wait(chunks.next())
      if (done) return
      yield value
    }
  } finally {
    transfer.end()
  }
}

function fileDownload(
  bytes: number,
  parts: AsyncGenerator<Uint8Array<ArrayBuffer>>,
  { end }: Transfer,
): FileDownload {
  return {
    bytes,
    [Symbol.asyncIterator]: () => parts,
    stream: () =>
      new ReadableStream(
        {
          async pull(controller) {
            const { done, value } = await parts.next()
            if (done) controller.close()
            else controller.enqueue(value)
          },
          async cancel() {
            // A part that is waited for would be waited for first.
            end()
            await parts.return(undefined)
          },
        },
        { highWaterMark: 0 },
      ),
    async blob() {
      const blobs: Blob[] = []
      for await (const part of parts) blobs.push(new Blob([part]))
      return new Blob(blobs)
    },
  }
}

function downloadCalls(
  client: StorageClient,
  blobs: BlobReader,
  signal: AbortSignal,
): DownloadCalls {
  return {
    reconstruct: reconstructOver(
      storageAsker(client, signal),
      async () => (await client.token('read', { signal })).casUrl,
    ),
    async readRun(request, into) {
      signal.throwIfAborted()
      const arrived = await blobs.read(request, into)
      signal.throwIfAborted()
      return arrived
    },
    pause: (tries) => pause(tries, signal),
  }
}
