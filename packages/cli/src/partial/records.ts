/** What a partial file says about itself, behind its data: which chunks of which runs are in it. */

import type { EarlierChunk, FoundChunks, Hash } from '@latchkey/xet'

/** The first line; without it a file is none of ours. */
export function headLine(hash: Hash): string {
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

export interface Records {
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
export function isOfRecords(tail: string, hash: Hash): boolean {
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
