/** Lists what a bucket has below a prefix, page by page. */

import { unixSeconds } from '@latchkey/protocol'
import type { S3Place } from '../object-store.ts'
import { childrenOf, readXml, textIn, type XmlElement } from './read-xml.ts'
import type { S3Answer, S3Request, SendRequest } from './requests.ts'
import type { ListedObject, ListedVersion } from './s3-client.ts'
import type { QueryField } from './sign-request.ts'
import { unavailable } from './store-errors.ts'

export interface Bucket {
  readonly place: S3Place
  readonly send: SendRequest
}

/** A page of 500 keys of 1 024 characters, each of which may be written as an entity. */
const maxPageBytes = 4 * 1024 * 1024
const pageLength = '500'
const purpose = 'list objects'

export async function* listObjects(
  bucket: Bucket,
  prefix: string,
  after: string | undefined,
): AsyncGenerator<ListedObject, void, undefined> {
  const below = `${bucket.place.prefix}${prefix}`
  const start: QueryField[] =
    after === undefined ? [] : [['start-after', `${bucket.place.prefix}${after}`]]
  for (let token = ''; ; ) {
    const page = await readDocument(bucket, {
      ...{ purpose, method: 'GET' },
      query: [
        ...[['list-type', '2'] as const, ['prefix', below] as const],
        ...[['max-keys', pageLength] as const],
        ...(token === '' ? start : [['continuation-token', token] as const]),
      ],
    })
    for (const element of childrenOf(page, 'Contents')) yield* listedIn(bucket, element)
    if (textIn(page, 'IsTruncated') !== 'true') return
    token = following(bucket, token, textIn(page, 'NextContinuationToken'))
  }
}

export async function* listVersions(
  bucket: Bucket,
  prefix: string,
): AsyncGenerator<ListedVersion, void, undefined> {
  const below = `${bucket.place.prefix}${prefix}`
  for (let [key, version] = ['', '']; ; ) {
    const page = await readDocument(bucket, {
      ...{ purpose, method: 'GET' },
      query: [
        ...[['versions', ''] as const, ['prefix', below] as const],
        ...[['max-keys', pageLength] as const],
        ...(key === '' ? [] : [['key-marker', key] as const]),
        ...(version === '' ? [] : [['version-id-marker', version] as const]),
      ],
    })
    for (const element of page.children) {
      const isRemoval = element.name === 'DeleteMarker'
      if (!isRemoval && element.name !== 'Version') continue
      const versionId = textIn(element, 'VersionId')
      const isLatest = textIn(element, 'IsLatest') === 'true'
      for (const one of listedIn(bucket, element)) yield { ...one, versionId, isLatest, isRemoval }
    }
    if (textIn(page, 'IsTruncated') !== 'true') return
    const before = `${key}\n${version}`
    ;[key, version] = [textIn(page, 'NextKeyMarker'), textIn(page, 'NextVersionIdMarker')]
    following(bucket, before, key === '' ? '' : `${key}\n${version}`)
  }
}

/** The document that a request is answered with. */
export async function readDocument(
  bucket: Bucket,
  request: Omit<S3Request, 'maxBytes'>,
): Promise<XmlElement> {
  const answer = await bucket.send({ ...request, maxBytes: maxPageBytes })
  return documentIn(bucket, request.purpose, answer)
}

export function documentIn(
  { place }: Pick<Bucket, 'place'>,
  purpose: string,
  { bytes }: Pick<S3Answer, 'bytes'>,
): XmlElement {
  try {
    return readXml(bytes.toString())
  } catch (error) {
    throw unavailable({ place, purpose }, `its answer cannot be read: ${String(error)}`)
  }
}

/** A store that names the same page again would be listed for ever. */
function following({ place }: Bucket, before: string, next: string): string {
  if (next !== '' && next !== before) return next
  throw unavailable({ place, purpose }, 'it says that there is more and not where')
}

/** Leaves out an object that is not below the prefix of the place. */
function listedIn({ place }: Bucket, element: XmlElement): ListedObject[] {
  const name = textIn(element, 'Key')
  if (!name.startsWith(place.prefix)) return []
  const [bytes, changedMs] = [
    Number(textIn(element, 'Size')),
    Date.parse(textIn(element, 'LastModified')),
  ]
  if (!Number.isSafeInteger(bytes) || Number.isNaN(changedMs)) {
    throw unavailable({ place, purpose }, 'it lists an object without its length or its time')
  }
  const key = name.slice(place.prefix.length)
  return [{ key, bytes, changedAt: unixSeconds(Math.floor(changedMs / 1000)) }]
}
