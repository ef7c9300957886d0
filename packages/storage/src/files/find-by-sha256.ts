/** `GET /v1/files/by-sha256/{sha256}?size=…`: the file with these bytes, if the token sees it. */

import { setTimeout as delay } from 'node:timers/promises'
import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import type { Catalog, FileOfRef } from '../catalog/catalog.ts'
import { parseSha256, type Sha256 } from '../catalog/sha256.ts'
import { jsonReply, type StorageCall, type StorageHandler } from '../request/asked.ts'
import { notHere } from '../request/refusals.ts'
import { emptyFile } from './empty-file.ts'
import { type FileHasher, keyOf } from './file-hasher.ts'

export interface FindingBySha256 {
  readonly catalog: Pick<Catalog, 'findSha256' | 'findUnhashed'>
  readonly hasher: Pick<FileHasher, 'hashNow'>
  /** How long a request waits for files that are not hashed yet. */
  readonly patienceMs?: number
}

/** Less than the minute after which proxies give up on a connection without traffic. */
const defaultPatienceMs = 20_000

/** The word in the path has the form of a hash, and is none of ours. */
export function findBySha256(finding: FindingBySha256): StorageHandler {
  return async (call, word) => {
    const [sha256, bytes] = [parseSha256(word), sizeIn(call.query)]
    if (sha256 === undefined || bytes === undefined) return badSize
    const content = { sha256, bytes }
    const found = bytes === 0 ? findEmpty(sha256) : await find(finding, call, content)
    if (isRefusal(found)) return found
    return found === undefined
      ? notHere('file with the SHA-256', word)
      : jsonReply({ fileHash: found, size: bytes })
  }
}

const badSize = refuse(
  'bad_request',
  'The size must be given as ?size=…, in bytes and in decimal digits.',
)

function sizeIn(query: URLSearchParams): number | undefined {
  const [word = '', second] = query.getAll('size')
  const size = /^\d{1,16}$/.test(word) && second === undefined ? Number(word) : Number.NaN
  return Number.isSafeInteger(size) ? size : undefined
}

function findEmpty(sha256: Sha256): Hash | undefined {
  return sha256 === emptyFile.sha256 ? emptyFile.hash : undefined
}

interface Wanted {
  readonly sha256: Sha256
  readonly bytes: number
}

/** Files of this length that are not hashed yet are hashed one by one, until one of them is it or none is left. */
async function find(
  { catalog, hasher, patienceMs = defaultPatienceMs }: FindingBySha256,
  { view, payer, signal }: StorageCall,
  { sha256, bytes }: Wanted,
): Promise<Hash | Refusal | undefined> {
  const over = new AbortController()
  const patience = delay(patienceMs, tooLate, { signal: over.signal })
  patience.catch(() => {})
  const unreadable = new Set<string>()
  const isReadable = (file: FileOfRef) => !unreadable.has(keyOf(file))
  try {
    for (;;) {
      signal.throwIfAborted()
      // In this order: a file that is hashed between the two reads is in both, and in the other order in neither.
      const unhashed = await catalog.findUnhashed(view, bytes, unreadable.size + 1)
      const found = await catalog.findSha256(view, sha256, bytes)
      if (found !== undefined) return found
      const next = unhashed.find(isReadable)
      if (next === undefined) return undefined
      const hashed = await Promise.race([hasher.hashNow(payer, next, bytes), patience])
      if (isRefusal(hashed)) return hashed
      if (hashed === undefined) unreadable.add(keyOf(next))
    }
  } finally {
    over.abort()
  }
}

const tooLate = refuse(
  'not_ready',
  'The storage is still computing the SHA-256 of a file of this size. Ask again in a few seconds.',
  { retryAfterSeconds: 5 },
)
