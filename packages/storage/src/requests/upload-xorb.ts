/** `POST /v1/xorbs/default/{hash}`: chunks come in, and are kept if they are what they are called. */

import { availableParallelism } from 'node:os'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import type { Catalog } from '../catalog/catalog.ts'
import type { XorbChecker } from '../checking/xorb-checker.ts'
import { isFlaw } from '../format/flaw.ts'
import type { Hash } from '../format/hash.ts'
import { mostXorbBytes, mostXorbFooterBytes } from '../format/limits.ts'
import type { Draft, ObjectStore } from '../objects/object-store.ts'
import { type Asked, type Handle, jsonReply, type Reply } from './asked.ts'
import { contentInvalid, tooLarge } from './refusals.ts'
import { turns } from './turns.ts'

export interface XorbUploading {
  readonly catalog: Catalog
  readonly objects: ObjectStore
  readonly checker: XorbChecker
}

/** As many as there are threads: a repository with more waits for its own, not the others for it. */
const mostAtOnce = {
  inAll: Number.POSITIVE_INFINITY,
  ofOne: Math.max(1, availableParallelism() - 1),
}

/** Some clients send a footer, which is not kept. */
const mostBytes = mostXorbBytes + mostXorbFooterBytes

export function uploadXorb(uploading: XorbUploading): Handle {
  const { catalog, objects } = uploading
  const takeTurn = turns(mostAtOnce)
  return async (asked, hash) => {
    const { body } = asked
    if ((body.length ?? 0) > mostBytes) return tooLarge('xorb', mostBytes)
    const excess = await refuseExcess(catalog, asked, hash)
    if (excess !== undefined) return excess
    const draft = await objects.receive(body.stream, mostBytes)
    if (draft === undefined) return tooLarge('xorb', mostBytes)
    let endTurn: (() => void) | undefined
    let isKept = false
    try {
      endTurn = await takeTurn(asked.place.repositoryUid, asked.signal)
      const reply = await keepChecked(uploading, asked, { hash, draft })
      isKept = !isRefusal(reply)
      return reply
    } finally {
      endTurn?.()
      const discarded = draft.discard()
      // Freeing a copy takes longer than naming one: waiting for it would tell that somebody has the same.
      if (isKept) discarded.catch(() => {})
      else await discarded
    }
  }
}

/** Asked before the body is read; what the ref has already takes no more room. */
async function refuseExcess(
  catalog: Catalog,
  { place, body }: Asked,
  hash: Hash,
): Promise<Refusal | undefined> {
  const excess = await catalog.refuseExcess(place, body.length ?? 0)
  if (excess === undefined) return undefined
  const own = { ...place, refs: [{ uid: place.refUid, until: undefined }] }
  return (await catalog.findXorb(own, hash)) === undefined ? excess : undefined
}

/** Everything is checked and on the disk before the ref gets it, whoever else has the same already. */
async function keepChecked(
  { catalog, objects, checker }: XorbUploading,
  { place }: Asked,
  { hash, draft }: { readonly hash: Hash; readonly draft: Draft },
): Promise<Reply | Refusal> {
  const checked = await checker.check(draft.file, hash)
  if (isFlaw(checked)) return contentInvalid(checked.flaw)
  const { digest, eligibleChunks, ...xorb } = checked
  const added = await catalog.addXorb(place, { ...xorb, hash, digest }, eligibleChunks, () =>
    objects.keep(draft, digest),
  )
  return isRefusal(added) ? added : jsonReply({ was_inserted: added })
}
