/** `GET /v1/files/{hash}`: the bytes of a file, for clients that do not fetch xorbs. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import { type Release, shares } from '@latchkey/service/limits/shares'
import type { Hash } from '@latchkey/xet/format'
import type { Catalog, OwnedFile } from '../catalog/catalog.ts'
import { eachTouched, type TouchedXorb } from '../reconstructions/plan-fetches.ts'
import type { StorageCall, StorageHandler, StorageReply } from '../request/asked.ts'
import { parseByteRange, type RequestedRange } from '../request/byte-range.ts'
import { badRange, beyondTheEnd, notHere } from '../request/refusals.ts'
import type { ThreadPool } from '../threads/thread-pool.ts'
import { partOf, plain } from '../xorbs/read-xorb.ts'
import type { ContentTask } from './content-work.ts'
import { emptyFile } from './empty-file.ts'

export type ContentPool = ThreadPool<ContentTask, never, Uint8Array>

export interface ReadingFiles {
  readonly catalog: Pick<Catalog, 'findFile' | 'xorbsOf'>
  readonly contents: Pick<ContentPool, 'run'>
}

/** In requests. Each has two pieces in memory: one that is sent, and the next. */
const limits = { max: 64, maxOfAccount: 16, maxOfRepository: 32, reserved: 8, maxWaitSeconds: 20 }

/** Their xorbs are looked up together. */
const termsAtOnce = 64

export function readFile(reading: ReadingFiles): StorageHandler {
  const slots = shares(limits)
  return async (call, hash) => {
    const etag = etagOf(hash)
    // Against another entity the client has no part of this one.
    const isSame = (call.header('if-range')?.trim() ?? etag) === etag
    const range = isSame ? parseByteRange(call.range) : undefined
    if (range === 'invalid') return badRange
    const file = await reading.catalog.findFile(call.view, hash)
    const bytes = hash === emptyFile.hash ? 0 : file?.bytes
    if (bytes === undefined) return notHere('file', hash)
    if (range !== undefined && range.start >= bytes) return beyondTheEnd(bytes)
    if (file === undefined || bytes === 0) return { ...headOf(hash, 0, undefined), body: '' }
    const release = await slots.take(call.payer, call.signal)
    return isRefusal(release) ? release : replyWith(reading, call, { file, range, release })
  }
}

interface Wanted {
  readonly file: OwnedFile
  readonly range: RequestedRange | undefined
  readonly release: Release
}

function replyWith(
  reading: ReadingFiles,
  { signal }: StorageCall,
  { file, range, release }: Wanted,
): StorageReply | Refusal {
  const body = oneAhead(contentOf(reading, { file, range, signal }))
  return { ...headOf(file.hash, file.bytes, range), body, whenSent: release }
}

/** The bytes of a hash never change. */
function etagOf(hash: Hash): string {
  return `"${hash}"`
}

function headOf(
  hash: Hash,
  bytes: number,
  range: RequestedRange | undefined,
): Pick<StorageReply, 'status' | 'headers'> {
  const etag = ['ETag', etagOf(hash)]
  if (range !== undefined) {
    const part = partOf(bytes, range.start, Math.min(range.end ?? bytes, bytes - 1))
    return { ...part, headers: [...part.headers, ...etag] }
  }
  return { status: 200, headers: [...plain, 'Content-Length', String(bytes), ...etag] }
}

/** `HEAD /v1/files/{hash}`: whether a file is there, how long it is, and whether the token's own ref has it. */
export function findFile({ catalog }: Pick<ReadingFiles, 'catalog'>): StorageHandler {
  return async ({ view, place }, hash) => {
    const file = await catalog.findFile(view, hash)
    if (file === undefined && hash !== emptyFile.hash) return notHere('file', hash)
    // A file that another ref has can go with that ref: a client that wants to keep it registers it again.
    const registered = file?.refUid === place.refUid ? 'own' : 'inherited'
    const { status, headers } = headOf(hash, file?.bytes ?? 0, undefined)
    return { status, headers: [...headers, 'X-Latchkey-Registered', registered], body: '' }
  }
}

async function* contentOf(
  { catalog, contents }: ReadingFiles,
  { file, range, signal }: Omit<Wanted, 'release'> & Pick<StorageCall, 'signal'>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const some of groupsOf(eachTouched(file.terms, range))) {
    const xorbs = await catalog.xorbsOf(file, [...new Set(some.map(({ term }) => term.xorb))])
    for (const { term, first, last } of some) {
      const { key } = xorbs.get(term.xorb) ?? lost(term.xorb)
      const end = Math.min(last + 1, term.unpackedBytes)
      for (let skip = Math.max(0, first); skip < end; ) {
        const { start, end: beyond } = term
        const task = { key, start, end: beyond, skip, most: end - skip }
        const part = await contents.run(task, { signal })
        skip += part.length
        yield part
      }
    }
  }
}

function* groupsOf(touched: Generator<TouchedXorb>): Generator<readonly TouchedXorb[]> {
  for (;;) {
    const group: TouchedXorb[] = []
    while (group.length < termsAtOnce) {
      const { value, done } = touched.next()
      if (done === true) break
      group.push(value)
    }
    if (group.length === 0) return
    yield group
  }
}

/** Begins the next part while the one before is sent. */
async function* oneAhead<Part>(
  parts: AsyncGenerator<Part, void, undefined>,
): AsyncGenerator<Part, void, undefined> {
  try {
    let next = parts.next()
    for (;;) {
      const { value, done } = await next
      if (done === true) return
      next = parts.next()
      // It is waited for later, or never.
      next.catch(() => {})
      yield value
    }
  } finally {
    parts.return().catch(() => {})
  }
}

/** Files and their xorbs come and go in one transaction. */
function lost(xorb: Hash): never {
  throw new Error(`the xorb ${xorb} of a file is gone`)
}
