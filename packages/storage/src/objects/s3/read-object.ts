/** Reads objects of any length; a transfer that breaks off goes on where it broke, in the same version. */

import { freePart } from '@latchkey/service/http/free-part'
import { DamagedObject, type S3Place } from '../object-store.ts'
import type { S3Answer, SendRequest } from './requests.ts'
import { NoSuchObject, type S3Range } from './s3-client.ts'
import { unavailable } from './store-errors.ts'

/** How often one transfer may break off. */
const maxBreaks = 8

const purpose = 'read an object'

export async function* readObject(
  { place, send }: { readonly place: S3Place; readonly send: SendRequest },
  key: string,
  range: S3Range | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  let next = range?.start ?? 0
  let end = range?.end
  let etag: string | undefined
  for (let breaks = 0; breaks <= maxBreaks; breaks += 1) {
    const isWhole = end === undefined
    const answer = await send({
      ...{ purpose, method: 'GET', key, accepts: [404, 412, 416] },
      headers: {
        ...(end !== undefined && { range: `bytes=${next}-${end}` }),
        ...(etag !== undefined && { 'if-match': etag }),
      },
    })
    const length = lengthOf(answer)
    if (isWhole && length !== undefined) end = length - 1
    const flaw = flawOf(answer, place, { isWhole, next, end })
    if (flaw !== undefined) {
      answer.discard()
      throw flaw
    }
    etag ??= answer.header('etag')
    let isOver = false
    try {
      for await (const part of answer.body) {
        if (end !== undefined && next + part.length > end + 1) break
        next += part.length
        yield part
        freePart(part)
      }
      isOver = true
    } catch {
      if (end === undefined) break
      // The rest is asked for again.
    }
    if (!isOver) continue
    // The store has ended its answer by itself.
    if (end !== undefined && next !== end + 1) throw ended()
    return
  }
  throw unavailable({ place, purpose }, 'the transfer was interrupted too often')
}

interface Progress {
  readonly isWhole: boolean
  readonly next: number
  readonly end: number | undefined
}

function flawOf(
  answer: S3Answer,
  place: S3Place,
  { isWhole, next, end }: Progress,
): Error | undefined {
  const { status } = answer
  if (status === 404) return new NoSuchObject('the store has no object of this key')
  if (status === 412) return new DamagedObject('a stored object has changed while it was read')
  if (status === 416) return ended()
  if (isWhole) return undefined
  if (status !== 206 || !answer.header('content-range')?.startsWith(`bytes ${next}-`)) {
    return unavailable({ place, purpose }, 'it gave other bytes than the range', {
      isLasting: true,
    })
  }
  const length = lengthOf(answer)
  return length !== undefined && next + length - 1 !== end ? ended() : undefined
}

function ended(): DamagedObject {
  return new DamagedObject('a stored object ends before its bytes do')
}

function lengthOf(answer: S3Answer): number | undefined {
  const length = answer.header('content-length')
  return length === undefined ? undefined : Number(length)
}
