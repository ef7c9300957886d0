/** Content for tests: the same for the same seed, and put into xorbs and shards. */

import { createCipheriv, createHash } from 'node:crypto'
import {
  type FileToRegister,
  fileHash,
  footerLength,
  hashAt,
  merkleTree,
  rangeHash,
  type Scheme,
  type WrittenXorb,
  writeShard,
  writeXorb,
} from '@latchkey/xet/format'

/** Bytes that cannot be packed. */
export function randomBytes(seed: string | number, length: number): Buffer {
  const key = createHash('sha256').update(String(seed)).digest().subarray(0, 16)
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(length))
}

/** Words that come again and again: less than half the size when packed. */
export function wordyBytes(seed: string | number, length: number): Buffer {
  const words = ['key', 'lock', 'door', 'house', 'window', 'roof', ', ', ' of ', ' the ', '\n']
  const choices = randomBytes(seed, length)
  let text = ''
  for (let index = 0; text.length < length; index += 1) {
    text += words[(choices[index] ?? 0) % words.length]
  }
  return Buffer.from(text.slice(0, length), 'latin1')
}

/** Numbers of four bytes that change slowly: grouped they pack best. */
export function numberBytes(seed: number, length: number): Buffer {
  const numbers = Float32Array.from({ length: Math.ceil(length / 4) }, (_, index) =>
    Math.sin((index + seed) / 500),
  )
  return Buffer.from(numbers.buffer).subarray(0, length)
}

export function cutInto(data: Buffer, size: number): Buffer[] {
  const count = Math.ceil(data.length / size)
  return Array.from({ length: count }, (_, index) =>
    data.subarray(index * size, (index + 1) * size),
  )
}

/** So many chunks of random bytes. */
export function randomChunks(seed: string | number, count: number, size = 1000): Buffer[] {
  return cutInto(randomBytes(seed, count * size), size)
}

export interface MadeXorb extends WrittenXorb {
  readonly bytes: Buffer<ArrayBuffer>
}

export function makeXorb(
  chunks: readonly Uint8Array[],
  { scheme }: { readonly scheme?: Scheme } = {},
): MadeXorb {
  const written = writeXorb(chunks, scheme)
  return { ...written, bytes: Buffer.from(written.bytes.buffer) }
}

/** Behind the chunks, as some clients have it; only its mark and its length make sense. */
export function xorbFooter(length = 100): Buffer {
  const footer = Buffer.alloc(length, 7)
  footer.write('XETBLOB', 'latin1')
  footer.writeUInt32LE(length - 4, length - 4)
  return footer
}

export interface RunOf {
  readonly xorb: WrittenXorb
  readonly start?: number
  readonly end?: number
}

/** A file made of these runs of chunks, and true in all it says. */
export function makeFile(runs: readonly RunOf[], sha256?: Uint8Array): FileToRegister {
  const tree = merkleTree()
  const terms = runs.map(({ xorb: { hash, table }, start = 0, end = table.count }) => {
    const indexes = Array.from({ length: end - start }, (_, index) => start + index)
    for (const index of indexes) tree.add(table.hashBytes(index), table.unpackedLength(index))
    const range = rangeHash(Buffer.concat(indexes.map((index) => table.hashBytes(index))))
    return { xorb: hash, start, end, unpackedBytes: table.unpackedBetween(start, end), range }
  })
  const extra = sha256 === undefined ? {} : { sha256 }
  return { hash: hashAt(fileHash(tree.root())), terms, ...extra }
}

/** With a footer that says nothing, as one of the clients sends one. */
export function makeShard({
  files,
  xorbs = [],
  hasFooter = false,
}: {
  readonly files: readonly FileToRegister[]
  readonly xorbs?: readonly WrittenXorb[]
  readonly hasFooter?: boolean
}): Buffer {
  const shard = Buffer.from(writeShard(files, xorbs).buffer)
  if (!hasFooter) return shard
  shard.writeBigUInt64LE(BigInt(footerLength), 40)
  return Buffer.concat([shard, Buffer.alloc(footerLength)])
}
