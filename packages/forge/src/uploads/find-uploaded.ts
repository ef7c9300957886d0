/** Finds large files that an upload need not send again. */

import type { CallerQuestions, ReadableRefs } from '@latchkey/admin-api/forge-port'
import { isRefusal, type Refusal, type RepoRef } from '@latchkey/protocol'
import { findContent } from '../commits/find-content.ts'
import type { AskStorage } from '../large-files/ask-storage.ts'
import {
  findObjects,
  keyOf,
  type LargeObject,
  type ObjectKey,
} from '../large-files/find-objects.ts'
import type { UploadPlace } from './upload-place.ts'

export interface UploadedQuestion {
  readonly hub: Pick<CallerQuestions, 'storageToken'>
  readonly storage: Pick<AskStorage, 'find' | 'adopt'>
  readonly repo: RepoRef
  readonly readable: ReadableRefs
  readonly place: UploadPlace
}

/** Most objects of an upload are new, so each ref costs a question for each of them. Main is among the refs. */
const refsLookedAt = 2

/**
 * Security boundary: only content that this caller may read counts, so that the answer shows nothing of other refs. The
 * place gets it, as if it had been sent.
 */
export async function findUploaded(
  { hub, storage, repo, readable, place }: UploadedQuestion,
  objects: readonly LargeObject[],
): Promise<ReadonlySet<ObjectKey> | Refusal> {
  const find = untilBusy(storage)
  const there = new Set(objects.filter(({ size }) => size === 0).map(keyOf))
  const open = objects.filter(({ size }) => size > 0)
  const pointers = open.map(({ oid, size }) => ({ oid, sizeBytes: size }))
  const own = await findContent({ find }, pointers, [place.token])
  if (isRefusal(own)) return own
  for (const [at, object] of open.entries()) if (own[at] !== undefined) there.add(keyOf(object))
  const others = open.filter((object) => !there.has(keyOf(object)))
  const found = await findObjects(
    {
      ...{ hub, storage: { find }, repo, ref: undefined },
      readable: withoutRef(readable, place),
      maxLookups: refsLookedAt * others.length,
    },
    others,
  )
  if (isRefusal(found)) return found
  if (found.size === 0) return there
  const hashes = new Set(found.values().map(({ hash }) => hash))
  const sources = new Set(found.values().map(({ token }) => token))
  const refused = await storage.adopt(place.token, [...hashes], [...sources])
  // The upload of the bytes is refused for the same reason, and then its client hears it.
  if (refused === undefined) for (const key of found.keys()) there.add(key)
  return there
}

function withoutRef(readable: ReadableRefs, { ref }: UploadPlace): ReadableRefs {
  return { ...readable, refs: new Map([...readable.refs].filter(([name]) => name !== ref?.name)) }
}

/** A file that the storage would have to hash first is sent again, and so is all that is asked for after it. */
function untilBusy({ find }: Pick<AskStorage, 'find'>): AskStorage['find'] {
  let isBusy = false
  return async (...question) => {
    if (isBusy) return undefined
    const found = await find(...question)
    isBusy ||= isRefusal(found) && (found.code === 'not_ready' || found.code === 'rate_limited')
    return isRefusal(found) && isBusy ? undefined : found
  }
}
