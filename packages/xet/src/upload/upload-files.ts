/** Uploads files: each is cut into chunks, what the storage lacks is sent, and shards register them in the end. */

import { type OptionTypes, refuseOptions, turns } from '@latchkey/protocol'
import { fileCutter } from '../cutting/file-cutter.ts'
import type { Hash } from '../format/hash.ts'
import { addFile } from './add-file.ts'
import { chunkFinder } from './known-chunks.ts'
import { type MadeFile, shardOf, splitFiles } from './shard-of.ts'
import type { UploadCalls } from './upload-calls.ts'
import { type PackedXorbs, type SegmentSize, type SendLimits, xorbPacker } from './xorb-packer.ts'

/** Questions that are under way at once. */
const maxQuestions = 16

/** A file that came twice is registered once. A shard is made while the last xorbs are on their way. */
async function registerFiles(
  calls: Pick<UploadCalls, 'hasFile' | 'sendShard'>,
  madeFiles: readonly MadeFile[],
  { sent, arrived }: PackedXorbs,
): Promise<void> {
  const files = [...new Map(madeFiles.map((file) => [file.hash, file])).values()]
  const missing = await withoutThoseThere(calls, files)
  let unlisted = sent
  for (const some of splitFiles(missing)) {
    const { shard, listed } = shardOf(some, unlisted)
    unlisted = unlisted.filter((xorb) => !listed.has(xorb))
    await arrived()
    await calls.sendShard(shard)
  }
  await arrived()
}

/** A file of which something was sent is not there. */
async function withoutThoseThere(
  { hasFile }: Pick<UploadCalls, 'hasFile'>,
  files: readonly MadeFile[],
): Promise<readonly MadeFile[]> {
  const there = new Set<MadeFile>()
  const open = files.filter(({ isNew }) => !isNew).values()
  const ask = async () => {
    for (const file of open) if (await hasFile(file.hash)) there.add(file)
  }
  await Promise.all(Array.from({ length: maxQuestions }, ask))
  return files.filter((file) => !there.has(file))
}

export interface UploadedFile {
  readonly hash: Hash
  readonly bytes: number
  /** Bytes of it that were sent, packed. */
  readonly uploadedBytes: number
  /** Bytes of it that the storage had already, unpacked. */
  readonly deduplicatedBytes: number
}

export interface Upload {
  /**
   * A file counts only once `finish` is done. Where files are added at once, the storage is asked about all of them, and
   * their chunks are sent in the order of the calls. The parts of the data are not kept.
   */
  add(data: AsyncIterable<Uint8Array>): Promise<UploadedFile>
  finish(): Promise<void>
}

interface UploadOptions {
  /** Called after each xorb that the storage has acknowledged, with the packed bytes of all of them so far. */
  readonly onAcknowledged?: (bytes: number) => void
  /** Called with how much of the data the storage has by now: found there, or acknowledged. */
  readonly onSettled?: (bytes: number) => void
  /** @default the pace of `latchkey upload` */
  readonly pace?: UploadPace
}

const types: OptionTypes<UploadOptions> = {
  onAcknowledged: 'function',
  onSettled: 'function',
  pace: 'object',
}

/** How files are divided into xorbs, and how many of them are on their way at once. */
export interface UploadPace {
  readonly segments: readonly SegmentSize[]
  readonly limits: SendLimits
}

/**
 * @example
 * ```ts
 * const upload = startUpload(calls)
 * const { hash } = await upload.add(createReadStream('weights.bin'))
 * await upload.finish()
 * ```
 */
export function startUpload(calls: UploadCalls, options: UploadOptions = {}): Upload {
  refuseOptions('startUpload', options, types)
  const { onAcknowledged, onSettled, pace } = options
  let [keptBytes, foundBytes] = [0, 0]
  const tellKept = (packedBytes: number, unpackedBytes: number) => {
    keptBytes = unpackedBytes
    onAcknowledged?.(packedBytes)
    onSettled?.(keptBytes + foundBytes)
  }
  const uploading = {
    finder: chunkFinder(calls),
    packer: xorbPacker(calls.sendXorb, tellKept, pace?.limits),
    cutter: fileCutter(),
    inTurn: turns(),
    segmentSizes: pace?.segments,
    onFound(bytes: number) {
      foundBytes += bytes
      onSettled?.(keptBytes + foundBytes)
    },
  }
  const files: MadeFile[] = []
  return {
    async add(data) {
      const { made, counted } = await addFile(uploading, data)
      files.push(made)
      return { hash: made.hash, ...counted }
    },
    async finish() {
      uploading.cutter.end()
      await registerFiles(calls, files, await uploading.packer.finish())
    },
  }
}
