/** Requests for blobs, which bring no token but a signed URL. */

import { type Gate, placeByPrefix, type ReadRequest } from '@latchkey/gate'
import { asRefUid, type Clock, noRepositoryUid, type Refusal, refuse } from '@latchkey/protocol'
import { joinedValues } from '@latchkey/service/http/headers'
import type { BlobPermit } from '../blob-url/blob-permit.ts'
import { readBlobUrl } from '../blob-url/blob-url.ts'
import type { DayKeys } from '../blob-url/day-keys.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { StorageReply } from '../request/asked.ts'
import { blobSegment } from '../request/blob-url-of.ts'
import { parseByteRange } from '../request/byte-range.ts'
import { notHere } from '../request/refusals.ts'
import { partOf } from '../xorbs/read-xorb.ts'

export interface Blobs extends Pick<Gate, 'checkGrantFresh'> {
  readonly casUrl: string
  readonly keys: DayKeys
  readonly catalog: Catalog
  readonly objects: ObjectStore
  readonly clock: Clock
}

export interface OpenedBlob {
  /** The permit of the URL, if this storage signed it; it may have expired. */
  readonly permit: BlobPermit | undefined
  answer(): Promise<StorageReply | Refusal>
}

/**
 * Whether a target, as it came, may be that of a blob. Every path that `OpenBlob` takes is also found here, because a path
 * is never decoded: all other requests are left to the gate, which reads them.
 */
export function mayNameBlob(target: string): boolean {
  return blobTarget.test(target)
}

const blobTarget = new RegExp(`^[^?]*/${blobSegment}(?:/[^/?]*)?(?:\\?|$)`)

/** Undefined when the request is for something else than a blob. */
export type OpenBlob = (request: ReadRequest) => Promise<OpenedBlob> | undefined

export function openBlobs(blobs: Blobs): OpenBlob {
  const { casUrl, keys, catalog, objects, clock } = blobs
  const placeOf = placeByPrefix(casUrl, undefined)
  const open = async (permit: BlobPermit | undefined, range: string | undefined) => {
    if (permit === undefined) return notSigned
    if (permit.expiresAt <= clock()) return over
    const refused = await blobs.checkGrantFresh(permit)
    if (refused !== undefined) return refusalOfBlob(refused)
    const byteRange = parseByteRange(range)
    if (byteRange === undefined || byteRange === 'invalid' || !isWithin(byteRange, permit))
      return otherBytes
    const { xorb, repositoryUid, from } = permit
    const view = { repositoryUid, refs: [{ uid: from, before: undefined }] }
    // Looked up again, so that content removed since then is gone at once.
    const found = await catalog.findXorb(view, xorb)
    if (found === undefined) return notHere('xorb', xorb)
    const { start, end = start } = byteRange
    // Packed anew since, and shorter.
    if (end >= found.packedBytes) return otherBytes
    return {
      ...partOf(found.packedBytes, start, end),
      body: objects.read(found.key, start, end),
    }
  }
  return (request) => {
    const { path = '/', repositoryUid = noRepositoryUid, refUid = noRef } = placeOf(request) ?? {}
    const [, segment, hash = '', more] = path.split('/')
    if (segment !== blobSegment || more !== undefined) return undefined
    if (!['GET', 'HEAD'].includes(request.method)) return undefined
    const blobPath = { repositoryUid, refUid, hash }
    // Every Range header: two are as wrong as none.
    const range = joinedValues(request.headers, 'range')
    return keys.freshen().then(
      () => {
        const permit = readBlobUrl(keys, blobPath, request.query.slice(1))
        return { permit, answer: () => open(permit, range) }
      },
      (reason) => ({ permit: undefined, answer: () => Promise.reject(reason) }),
    )
  }
}

function isWithin(
  { start, end }: { readonly start: number; readonly end: number | undefined },
  permit: BlobPermit,
): boolean {
  return start >= permit.start && end !== undefined && end <= permit.end
}

const noRef = asRefUid('')

/** The gate's refusal in words for a URL; without news it says that it does not know. */
export function refusalOfBlob(refusal: Refusal): Refusal {
  return refusal.code === 'storage_token_invalid' ? takenBack : refusal
}

const again = 'Ask for the reconstruction of the file again; it comes with new URLs.'

const notSigned = refuse('blob_url_invalid', `This URL was not made by this storage. ${again}`)

const over = refuse('blob_url_invalid', `This URL has expired. ${again}`)

const takenBack = refuse(
  'blob_url_invalid',
  'This URL was revoked with its storage token. Request a new token from the hub.',
  { reason: 'revoked' },
)

const otherBytes = refuse(
  'blob_url_invalid',
  'This URL opens only the bytes that were given with it. Send their range in the Range header.',
)
