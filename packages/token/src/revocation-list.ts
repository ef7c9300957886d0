/** The list of cut-offs as bytes: 40 for each, which any language reads. */

import { hash } from 'node:crypto'
import type { JournalNumber } from '@latchkey/protocol'

/** The hash of what is cut, to the number below which a token is dead. */
export type RevocationList = ReadonlyMap<string, JournalNumber>

const hashBytes = 32
const entryBytes = hashBytes + 8

/** In the order of the hashes, so that the same cut-offs always are the same bytes. */
export function writeRevocationList(list: RevocationList): Buffer {
  const entries = [...list].map(([key, number]) => {
    const entry = Buffer.alloc(entryBytes, key, 'base64url')
    entry.writeBigUInt64BE(BigInt(number), hashBytes)
    return entry
  })
  return Buffer.concat(entries.toSorted(Buffer.compare))
}

/** Undefined unless the bytes are exactly what `writeRevocationList` writes. */
export function readRevocationList(bytes: Uint8Array): RevocationList | undefined {
  if (bytes.length % entryBytes !== 0) return undefined
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const list = new Map<string, JournalNumber>()
  for (let at = 0; at < buffer.length; at += entryBytes) {
    const number = buffer.readBigUInt64BE(at + hashBytes)
    const isAfterLast =
      at === 0 || buffer.compare(buffer, at - entryBytes, at - 8, at, at + hashBytes) > 0
    if (number > Number.MAX_SAFE_INTEGER || !isAfterLast) return undefined
    list.set(buffer.toString('base64url', at, at + hashBytes), Number(number) as JournalNumber)
  }
  return list
}

/** The name under which the list is published. */
export function listHash(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'base64url')
}
