/** Uploads files: each is cut into chunks, what the storage lacks is sent, and shards register them in the end. */

import { fileCutter } from '../cutting/file-cutter.ts'
import type { Hash } from '../format/hash.ts'
import { addFile } from './add-file.ts'
import { chunkFinder } from './chunk-finder.ts'
import { fifoLock } from './fifo-lock.ts'
import { registerFiles } from './register-files.ts'
import type { MadeFile } from './shard-of.ts'
import type { UploadCalls } from './upload-calls.ts'
import { xorbPacker } from './xorb-packer.ts'

export interface UploadedFile {
  readonly hash: Hash
  readonly bytes: number
  /** What was sent of it, packed. */
  readonly uploadedBytes: number
  /** What was there already, unpacked. */
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

export interface UploadOptions {
  /** Called after each xorb that the storage has acknowledged, with the packed bytes of all of them so far. */
  readonly onKept?: (bytes: number) => void
}

export function startUpload(calls: UploadCalls, { onKept }: UploadOptions = {}): Upload {
  const uploading = {
    finder: chunkFinder(calls),
    packer: xorbPacker(calls.sendXorb, onKept),
    cutter: fileCutter(),
    requestLock: fifoLock(),
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
