/** Records in a partial file, behind its data, which chunks of which ranges it has. */

import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { EarlierChunk, FoundChunks, Hash } from '@latchkey/xet'

/** The first line; without it a file is none of ours. */
function headLine(hash: Hash): string {
  return `latchkey partial download 1 ${hash}\n`
}

/** Hash, length and packed length of each chunk. */
const rowLength = 40

export function recordLine({ runName, first, chunks }: FoundChunks): string {
  const rows = Buffer.alloc(chunks.length * rowLength)
  for (const [index, { hash, bytes, packedLength }] of chunks.entries()) {
    const at = index * rowLength
    rows.set(hash, at)
    rows.writeUInt32LE(bytes.length, at + 32)
    rows.writeUInt32LE(packedLength, at + 36)
  }
  return `${first}:${runName}:${rows.toString('base64')}\n`
}

interface Records {
  readonly chunks: ReadonlyMap<string, readonly EarlierChunk[]>
  /** Where the next record goes. */
  readonly length: number
}

const record = /^(\d{1,4}):([0-9a-f]{64}(?: \d{1,15}){4}):([A-Za-z0-9+/]+=*)$/

/** Up to the first line that is none: the process may have been killed while it wrote it. */
export function readRecords(text: string, hash: Hash): Records | undefined {
  const head = headLine(hash)
  if (!text.startsWith(head)) return undefined
  const chunks = new Map<string, EarlierChunk[]>()
  let { length } = head
  for (const line of text.slice(head.length).split('\n').slice(0, -1)) {
    const [, first, runName = '', rows = ''] = record.exec(line) ?? []
    if (first === undefined) break
    const before = chunks.get(runName) ?? []
    // Chunks that were found to be spoilt are fetched and recorded again.
    if (Number(first) > before.length) break
    chunks.set(runName, [...before.slice(0, Number(first)), ...rowsOf(Buffer.from(rows, 'base64'))])
    length += line.length + 1
  }
  return { chunks, length }
}

/** Whether the end of a file is that of a partial one, whatever size it was to have. */
function isOfRecords(tail: string, hash: Hash): boolean {
  const lines = tail.split('\n').slice(0, -1)
  return lines.some((line) => record.test(line) || `${line}\n`.endsWith(headLine(hash)))
}

function rowsOf(rows: Buffer): EarlierChunk[] {
  const count = Math.floor(rows.length / rowLength)
  return Array.from({ length: count }, (_, index) => {
    const at = index * rowLength
    return {
      hash: rows.subarray(at, at + 32),
      length: rows.readUInt32LE(at + 32),
      packedLength: rows.readUInt32LE(at + 36),
    }
  })
}

export interface Earlier {
  /** Every byte is there, and the hash over all of them is right. */
  readonly isWhole: boolean
  readonly records: Records
}

interface Expected {
  readonly hash: Hash
  readonly bytes: number
}

/** Records of about five million chunks, 300 GB. What would follow is fetched again. */
const maxRecordBytes = 256 * 1024 * 1024
/** More than the longest record. */
const tailBytes = 1024 * 1024

/** Undefined for a file that is none of ours. */
export async function readEarlier(
  handle: FileHandle,
  { hash, bytes }: Expected,
): Promise<Earlier | undefined> {
  const status = await handle.stat()
  const isOwn = status.isFile() && status.nlink === 1 && status.uid === process.geteuid?.()
  if (!isOwn) return undefined
  if (status.size === 0) return begin(handle, { hash, bytes })
  // A storage may say another size than it did the last time: memory is only for what is known to be a record.
  const head = headLine(hash)
  if ((await textAt(handle, bytes, head.length)) === head) {
    const length = Math.min(status.size - bytes, maxRecordBytes)
    const records = readRecords(await textAt(handle, bytes, length), hash)
    return records && { isWhole: false, records }
  }
  if (status.size === bytes && (await hashOf(handle)) === hash)
    return { isWhole: true, records: none }
  const tail = await textAt(handle, Math.max(status.size - tailBytes, 0), tailBytes)
  return isOfRecords(tail, hash) ? begin(handle, { hash, bytes }) : undefined
}

const none: Records = { chunks: new Map(), length: 0 }

async function begin(handle: FileHandle, { hash, bytes }: Expected): Promise<Earlier> {
  const line = headLine(hash)
  await handle.truncate(0)
  await handle.write(line, bytes)
  return { isWhole: false, records: { ...none, length: line.length } }
}

/** Shorter where the file ends. */
async function textAt(handle: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position)
  return buffer.toString('latin1', 0, bytesRead)
}

async function hashOf(handle: FileHandle): Promise<Hash> {
  const { hashData } = await import('@latchkey/xet')
  return hashData(handle.createReadStream({ start: 0, autoClose: false }))
}

/** File systems take names of 255 bytes; the lock beside it has a longer one. */
const maxNameLength = 200

/** The same for the same file and content, so that the next download finds it. */
export function partialName(file: string, hash: Hash): string {
  return join(dirname(file), `.${shortened(basename(file))}.${hash.slice(0, 16)}.partial`)
}

/** Such a file, or the lock beside it: of use to a download on this machine, and to nobody else. */
export function isPartialName(name: string): boolean {
  return /^\..+\.[0-9a-f]{16}\.partial(?:\.lock)?$/s.test(name)
}

/** Two long names that begin alike stay two. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= maxNameLength) return name
  const characters = [...name]
  while (Buffer.byteLength(characters.join('')) > maxNameLength - 17) characters.pop()
  const rest = createHash('sha256').update(name).digest('hex').slice(0, 16)
  return `${characters.join('')}~${rest}`
}
