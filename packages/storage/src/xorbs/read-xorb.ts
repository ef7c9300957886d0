/** `GET` and `HEAD /v1/xorbs/default/{hash}`: the bytes of a xorb that the token may see. */

import type { Refusal } from '@latchkey/protocol'
import type { Catalog, FoundXorb } from '../catalog/catalog.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { StorageHandler, StorageReply } from '../request/asked.ts'
import { parseByteRange } from '../request/byte-range.ts'
import { badRange, beyondTheEnd, notHere } from '../request/refusals.ts'

export function readXorb(catalog: Catalog, objects: ObjectStore): StorageHandler {
  return async ({ view, range }, hash) => {
    const xorb = await catalog.findXorb(view, hash)
    if (xorb === undefined) return notHere('xorb', hash)
    return replyWith(xorb, range, objects)
  }
}

function replyWith(
  { key, packedBytes }: FoundXorb,
  header: string | undefined,
  objects: ObjectStore,
): StorageReply | Refusal {
  const range = parseByteRange(header)
  if (range === 'invalid') return badRange
  if (range === undefined) {
    const headers = [...plain, 'Content-Length', String(packedBytes)]
    return { status: 200, headers, body: objects.read(key, 0, packedBytes - 1) }
  }
  const { start } = range
  if (start >= packedBytes) return beyondTheEnd(packedBytes)
  const end = Math.min(range.end ?? packedBytes, packedBytes - 1)
  return { ...partOf(packedBytes, start, end), body: objects.read(key, start, end) }
}

export const plain = ['Content-Type', 'application/octet-stream', 'Accept-Ranges', 'bytes']

/** RFC 9110 §15.3.7 */
export function partOf(
  whole: number,
  start: number,
  end: number,
): Pick<StorageReply, 'status' | 'headers'> {
  const place = ['Content-Range', `bytes ${start}-${end}/${whole}`]
  return { status: 206, headers: [...plain, ...place, 'Content-Length', String(end - start + 1)] }
}
