/** A download that can be broken off and gone on with: data in its place, behind it what is known of it, and a name once it is whole. */

import { constants } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { eachOf } from '@latchkey/service/limits/each-of'
import { type ExclusiveLock, takeLock } from '@latchkey/service/machine/exclusive-lock'
import { quoteGiven } from '@latchkey/service/text'
import type { DownloadTarget, FoundChunks, Hash } from '@latchkey/xet'
import { cannotWrite } from '../output/new-file.ts'
import { refused, Stop, unavailable } from '../output/stop.ts'
import { type Earlier, partialName, readEarlier, recordLine } from './records.ts'

interface Stretch {
  readonly position: number
  readonly parts: Uint8Array[]
  end: number
}

/** Gives how many bytes were written. */
async function writeChunks(
  file: FileHandle,
  { chunks }: Pick<FoundChunks, 'chunks'>,
): Promise<number> {
  const stretches = [...stretchesOf(chunks)]
  await eachOf(stretches, atOnce, (stretch) => writeStretch(file, stretch))
  return stretches.reduce((sum, { position, end }) => sum + end - position, 0)
}

/** Content that a file has in several places is written to two of them at once. */
const atOnce = 2

function stretchesOf(chunks: FoundChunks['chunks']): Iterable<Stretch> {
  const byEnd = new Map<number, Stretch>()
  for (const { bytes, positions } of chunks) {
    for (const position of positions) {
      const stretch = byEnd.get(position) ?? { position, parts: [], end: position }
      byEnd.delete(position)
      stretch.parts.push(bytes)
      stretch.end += bytes.length
      byEnd.set(stretch.end, stretch)
    }
  }
  return byEnd.values()
}

/** A disk that is nearly full takes a part, and refuses the rest. */
async function writeStretch(file: FileHandle, { position, parts, end }: Stretch): Promise<void> {
  const { bytesWritten } = await file.writev(parts, position)
  let written = position + bytesWritten
  if (written === end) return
  const whole = Buffer.concat(parts)
  while (written < end) {
    written += (await file.write(whole, written - position, end - written, written)).bytesWritten
  }
}

export interface WantedFile {
  /** Replaced once all is there. */
  readonly file: string
  readonly mode: number
  readonly hash: Hash
  readonly bytes: number
}

interface PartialFile {
  /** An earlier download has all of it, checked; only the name is missing. */
  readonly isWhole: boolean
  readonly target: DownloadTarget
  /** All of it is on the disk, and then takes the name that it was meant for. */
  keep(): Promise<void>
  /** Deletes the file, because no part of it is useful. */
  discard(): Promise<void>
  /** Keeps the stored part for the next download. */
  close(): Promise<void>
}

export async function openPartial(target: WantedFile): Promise<PartialFile> {
  const path = partialName(target.file, target.hash)
  const lock = lockFor(path, target)
  try {
    return await openLocked(target, path, lock)
  } catch (error) {
    lock.release()
    throw explained(target, error)
  }
}

async function openLocked(
  target: WantedFile,
  path: string,
  lock: ExclusiveLock,
): Promise<PartialFile> {
  const handle = await openOwn(path)
  try {
    const earlier = await readEarlier(handle, target)
    if (earlier === undefined) throw foreign(path)
    await handle.chmod(target.mode)
    return partialFile({ target, path, lock, handle, earlier })
  } catch (error) {
    await handle.close()
    throw error
  }
}

interface Opened {
  readonly target: WantedFile
  readonly path: string
  readonly lock: ExclusiveLock
  readonly handle: FileHandle
  readonly earlier: Earlier
}

function partialFile({ target, path, lock, handle, earlier }: Opened): PartialFile {
  const { file, bytes } = target
  const { isWhole, records } = earlier
  let end = bytes + records.length
  const syncing = syncBehind({ datasync: () => handle.datasync() })
  const tell = <Result>(work: () => Promise<Result>) =>
    work().catch((error) => {
      throw explained(target, error)
    })
  const close = async () => {
    await syncing.settled().catch(() => {})
    await handle.close()
    lock.release()
  }
  return {
    isWhole,
    target: {
      put: (found) =>
        tell(async () => {
          const written = await writeChunks(handle, found)
          syncing.wrote(written)
          const line = recordLine(found)
          await handle.write(line, end)
          end += line.length
        }),
      allPut: syncing.wroteAll,
      earlier: {
        chunksOf: (runName) => records.chunks.get(runName) ?? [],
        async read(position, length) {
          const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position)
          return buffer.subarray(0, bytesRead)
        },
      },
    },
    keep: () =>
      tell(async () => {
        syncing.wroteAll()
        await syncing.settled()
        // A kill from here to the new name costs the records: the next download knows the file by its hash.
        await handle.truncate(bytes)
        await rename(path, file)
      }),
    discard: () => rm(path, { force: true }),
    close,
  }
}

function lockFor(path: string, target: WantedFile): ExclusiveLock {
  try {
    const lock = takeLock(`${path}.lock`)
    if (lock !== undefined) return lock
  } catch (error) {
    throw cannotWrite(`${path}.lock`, error)
  }
  throw unavailable(
    `${quoteGiven(target.file)} is being downloaded by another process; wait for it, or name another file with -o`,
  )
}

/** A link at this name could lead to any file of this user, so it is not followed. */
function openOwn(path: string): Promise<FileHandle> {
  const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
  return open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600).catch((error) => {
    throw error.code === 'ELOOP' ? foreign(path) : error
  })
}

function foreign(path: string): Stop {
  return refused(
    `${quoteGiven(path)} is reserved for interrupted downloads, and is another kind of file; move it away, or name another file with -o`,
  )
}

function explained({ file }: WantedFile, error: unknown): unknown {
  return error instanceof Stop ? error : cannotWrite(file, error)
}

/** Brings data to the disk while more of it is written, so that in the end there is little to wait for. */
interface SyncBehind {
  /** So many bytes more were written. Fails if an earlier part cannot be brought to the disk. */
  wrote(bytes: number): void
  /** All was written: what is not on the disk yet goes there now. */
  wroteAll(): void
  /** Settles when no write is in progress. Fails if a part could not be written to the disk. */
  settled(): Promise<void>
}

/** Each time the file system writes its journal as well. */
const bytesAtOnce = 32 * 1024 * 1024

export function syncBehind({ datasync }: Pick<FileHandle, 'datasync'>): SyncBehind {
  let [written, underWay, begun] = [0, 0, 0]
  let syncing: Promise<unknown> = Promise.resolve()
  // The system tells of a failed write once: whoever syncs later hears nothing of it.
  let failed: { readonly error: unknown } | undefined
  const refuseFailed = () => {
    if (failed !== undefined) throw failed.error
  }
  const sync = async () => {
    try {
      await datasync()
    } catch (error) {
      failed ??= { error }
    }
    underWay -= 1
  }
  const begin = () => {
    written = 0
    underWay += 1
    begun += 1
    syncing = Promise.all([syncing, sync()])
  }
  return {
    wrote(bytes) {
      refuseFailed()
      written += bytes
      if (written >= bytesAtOnce && underWay === 0) begin()
    },
    wroteAll() {
      // What an earlier process wrote may not be on the disk either.
      if (written > 0 || begun === 0) begin()
    },
    async settled() {
      await syncing
      refuseFailed()
    },
  }
}
