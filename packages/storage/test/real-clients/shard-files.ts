/** Which file of a shard has which SHA-256: what a hub of git repositories needs to find content by. */

import { hashAt } from '@latchkey/xet/format'

const headerLength = 48
const entryLength = 48
const withVerification = 0x8000_0000
const withMetadata = 0x4000_0000

/** File hashes by SHA-256, both as requests write them. */
export function filesBySha256(shard: Buffer): Map<string, string> {
  const found = new Map<string, string>()
  let offset = headerLength
  while (!isBookend(shard, offset)) {
    const flags = shard.readUInt32LE(offset + 32)
    const terms = shard.readUInt32LE(offset + 36)
    const entries = has(flags, withVerification) ? 2 * terms : terms
    const metadata = offset + entryLength * (1 + entries)
    if (has(flags, withMetadata)) found.set(hashAt(shard, metadata), hashAt(shard, offset))
    offset = has(flags, withMetadata) ? metadata + entryLength : metadata
  }
  return found
}

function has(flags: number, flag: number): boolean {
  return (flags & flag) !== 0
}

function isBookend(shard: Buffer, offset: number): boolean {
  return shard.subarray(offset, offset + 32).every((byte) => byte === 0xff)
}
