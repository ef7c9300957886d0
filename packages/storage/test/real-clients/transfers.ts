/** What passed the storage's door, added up. */

import { createHash } from 'node:crypto'
import type { Passed, StorageDoor } from './storage-door.ts'

/** The xorbs that clients sent and the storage took. */
export function takenXorbs(passed: readonly Passed[]): readonly Passed[] {
  return passed.filter(({ call, status }) => call.startsWith('POST /v1/xorbs/') && status === 200)
}

/** Their bytes. */
export function sentXorbBytes(passed: readonly Passed[]): number {
  return takenXorbs(passed).reduce((total, { sentBytes }) => total + sentBytes, 0)
}

/** Bytes of xorbs that clients fetched with signed URLs. */
export function fetchedBytes(passed: readonly Passed[]): number {
  const fetched = passed.filter(
    ({ call, status }) => call.startsWith('GET /blobs/') && status === 206,
  )
  return fetched.reduce((total, { receivedBytes }) => total + receivedBytes, 0)
}

/** The different tokens that were used. */
export function tokensIn(passed: readonly Passed[]): ReadonlySet<string> {
  return new Set(passed.flatMap(({ token = [] }) => token))
}

/** The hash of a file that was registered. */
export function hashOf({ files }: StorageDoor, content: Buffer): string | undefined {
  return files.get(sha256Of(content))
}

export function sha256Of(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

/** What clients that sent xorbs and shards were answered. */
export function statusesOfUploads(passed: readonly Passed[]): ReadonlySet<number> {
  const uploads = passed.filter(({ call }) => /^POST \/v\d\/(?:xorbs\/|shards$)/.test(call))
  return new Set(uploads.map(({ status }) => status))
}
