/** What an earlier download has left in a partial file; a file that none has made stays as it is. */

import type { FileHandle } from 'node:fs/promises'
import type { Hash } from '@latchkey/xet'
import { headLine, isOfRecords, type Records, readRecords } from './records.ts'

export interface Earlier {
  /** Every byte is there, and the hash over all of them is right. */
  readonly isWhole: boolean
  readonly records: Records
}

export interface Expected {
  readonly hash: Hash
  readonly bytes: number
}

/** Records of about five million chunks, 300 GB. What would follow is fetched again. */
const mostRecordBytes = 256 * 1024 * 1024
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
    const length = Math.min(status.size - bytes, mostRecordBytes)
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
