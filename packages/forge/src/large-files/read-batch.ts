/**
 * Reads a batch request of git-lfs: https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md
 */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { readBody } from '@latchkey/service/http/bodies'
import { parseJson } from '@latchkey/service/http/parse-json'
import type { BodyRequest } from '../http/bodies.ts'
import { isAbsent, isSize, membersOf } from '../words/members.ts'
import { type LfsOid, parseLfsOid } from '../words/pointer.ts'
import type { LargeObject } from './find-objects.ts'

export interface Batch {
  readonly operation: 'download' | 'upload'
  /** The revision that the client works on, if it names one. */
  readonly revision: string | undefined
  /** Whether the client moves content to and from the storage itself. */
  readonly isOfXet: boolean
  readonly objects: readonly WantedObject[]
}

/** As it was named, so that the client knows it again. */
export interface WantedObject {
  readonly oid: string
  readonly size: number
  /** Undefined where it is no SHA-256. */
  readonly parsed: LfsOid | undefined
}

/** Without objects that have another name than a SHA-256. */
export function largeObjects(objects: readonly WantedObject[]): readonly LargeObject[] {
  return objects.flatMap(({ parsed, size }) =>
    parsed === undefined ? [] : [{ oid: parsed, size }],
  )
}

/** The error for an object with another name. */
export const badOid = {
  error: { code: 422, message: 'The oid must be a SHA-256 in lower-case digits.' },
} as const

/** git-lfs asks for a hundred at once. */
const maxObjects = 500
const maxBytes = 256 * 1024

const advice = `Ask for at most ${maxObjects} objects.`
const tooMany = refuse('body_too_large', advice)

export async function readBatch({ request, takeRoom }: BodyRequest): Promise<Batch | Refusal> {
  const bytes = await readBody(request, { most: maxBytes, advice, take: takeRoom })
  if (isRefusal(bytes)) return bytes
  const members = membersOf(await parseJson(bytes))
  if (members === undefined) return refuse('bad_request', 'The body must be a JSON object.')
  const { operation, transfers, ref, objects, hash_algo: hash } = members
  if (operation !== 'download' && operation !== 'upload') {
    return refuse('bad_request', 'operation must be "download" or "upload".')
  }
  if (!isAbsent(hash) && hash !== 'sha256' && hash !== 'sha_256') {
    return refuse('conflict', 'Large files are named by their SHA-256 here.')
  }
  const isOfXet = Array.isArray(transfers) && transfers.includes('xet')
  const isBasic = isAbsent(transfers) || (Array.isArray(transfers) && transfers.includes('basic'))
  if (!isBasic && !(isOfXet && operation === 'upload')) {
    return refuse('bad_request', 'The client does not offer the transfer "basic".')
  }
  if (Array.isArray(objects) && objects.length > maxObjects) return tooMany
  const wantedObjects = Array.isArray(objects) ? objects.map(asObject) : []
  if (!Array.isArray(objects) || !wantedObjects.every((one) => one !== undefined)) {
    return refuse('bad_request', 'objects must be a list of { "oid": …, "size": … }.')
  }
  const { name } = membersOf(ref) ?? {}
  return {
    operation,
    revision: typeof name === 'string' ? name : undefined,
    isOfXet,
    objects: wantedObjects,
  }
}

function asObject(value: unknown): WantedObject | undefined {
  const { oid, size } = membersOf(value) ?? {}
  if (typeof oid !== 'string' || oid.length > 128 || !isSize(size)) return undefined
  return { oid, size, parsed: parseLfsOid(oid) }
}
