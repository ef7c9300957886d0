/** Reads objects of any length; a transfer that breaks off goes on where it broke, in the same version. */

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
    checkAnswer(answer, place, isWhole ? undefined : next)
    etag ??= answer.header('etag')
    const length = lengthOf(answer)
    if (isWhole && length !== undefined) end = length - 1
    if (!isWhole && length !== undefined && next + length - 1 !== end) throw ended()
    try {
      for await (const part of answer.body) {
        if (end !== undefined && next + part.length > end + 1) break
        next += part.length
        yield part
      }
      if (end === undefined || next === end + 1) return
    } catch {
      // The rest is asked for again.
      end ??= undefined
    }
  }
  throw unavailable({ place, purpose }, `the transfer was interrupted ${maxBreaks + 1} times`)
}

function checkAnswer(answer: S3Answer, place: S3Place, start: number | undefined): void {
  const { status } = answer
  if (status === 404) throw new NoSuchObject('the store has no object of this key')
  if (status === 412) throw new DamagedObject('a stored object has changed while it was read')
  if (status === 416) throw ended()
  if (start === undefined) return
  if (status === 206 && answer.header('content-range')?.startsWith(`bytes ${start}-`)) return
  throw unavailable({ place, purpose }, 'it gave other bytes than the range that was asked for', {
    isLasting: true,
  })
}

function ended(): DamagedObject {
  return new DamagedObject('a stored object ends before its bytes do')
}

function lengthOf(answer: S3Answer): number | undefined {
  const length = answer.header('content-length')
  return length === undefined ? undefined : Number(length)
}
