/** Stores the contents of many small files by few git processes: to start one costs more than a file. */

import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflate, type ZlibOptions } from 'node:zlib'
import type { CallOptions } from '../process/git-commands.ts'
import { GitFailed } from '../process/git-errors.ts'
import { type ObjectHash, readHash } from './object-hash.ts'
import { type BlobTools, writeBlob } from './write-blob.ts'
import { packFolder } from './written-folders.ts'

export interface BlobBatch {
  /** The hash is known at once. The content is there after `flush`. */
  add(content: Uint8Array): Promise<ObjectHash>
  flush(): Promise<void>
}

/** A larger file has a process of its own, which reads it piece by piece. */
const largestBytes = 256 * 1024
const maxBytes = 8 * 1024 * 1024
const maxFiles = 1000
/** Each loose object is synced for itself, a pack once. Few files are not worth a pack, which every look-up asks. */
const minPacked = 50
/** So many are stored by the process that waits for them. More of them go through one that is started, in one go. */
const maxSingle = 8

export function blobBatch(
  { commands, storeBlob }: BlobTools,
  { signal }: Pick<CallOptions, 'signal'> = {},
): BlobBatch {
  let waiting = new Map<ObjectHash, Uint8Array>()
  let bytes = 0
  const flush = async () => {
    if (waiting.size === 0) return
    const blobs = waiting
    waiting = new Map()
    bytes = 0
    // git hashes the contents, too: what arrives damaged is refused.
    if (blobs.size <= maxSingle) {
      for (const [hash, content] of blobs) await storeOne(hash, content)
    } else if (blobs.size >= minPacked) {
      const pack = await packOf([...blobs.values()], { level: 6 })
      await commands.run(['index-pack', '--stdin'], pack, { signal })
      commands.wrote(packFolder)
    } else {
      // git compresses what it unpacks.
      const pack = await packOf([...blobs.values()], { level: 0 })
      await commands.run(['unpack-objects', '-q'], pack, { signal })
      for (const hash of blobs.keys()) commands.wrote(hash)
    }
  }
  const storeOne = async (hash: ObjectHash, content: Uint8Array) => {
    signal?.throwIfAborted()
    const stored = await storeBlob(content)
    if (stored !== hash) throw new GitFailed('exit', 'has stored another content')
    commands.wrote(hash)
  }
  return {
    flush,
    async add(content) {
      if (content.length > largestBytes)
        return writeBlob({ commands, storeBlob }, content, { signal })
      const hash = hashOf(content)
      if (!waiting.has(hash)) bytes += content.length
      waiting.set(hash, content)
      if (bytes >= maxBytes || waiting.size >= maxFiles) await flush()
      return hash
    },
  }
}

function hashOf(content: Uint8Array): ObjectHash {
  const hash = createHash('sha1').update(`blob ${content.length}\0`).update(content)
  return readHash(hash.digest('hex'))
}

const blobType = 3

const deflated = promisify<Uint8Array, ZlibOptions, Buffer>(deflate)

/** A pack of version 2, as gitformat-pack has it. */
async function packOf(blobs: readonly Uint8Array[], options: ZlibOptions): Promise<Uint8Array> {
  const header = Buffer.alloc(12)
  header.write('PACK')
  header.writeUInt32BE(2, 4)
  header.writeUInt32BE(blobs.length, 8)
  const entries = blobs.map(async (blob) => [
    entryHeader(blob.length),
    await deflated(blob, options),
  ])
  const pack = Buffer.concat([header, ...(await Promise.all(entries)).flat()])
  return Buffer.concat([pack, createHash('sha1').update(pack).digest()])
}

/** Four bits of the size, then seven in each byte that follows. */
function entryHeader(size: number): Buffer {
  const bytes = [(blobType << 4) | (size & 15)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes.map((byte, at) => (at < bytes.length - 1 ? byte | 128 : byte)))
}
