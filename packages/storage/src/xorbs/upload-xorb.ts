/** `POST /v1/xorbs/default/{hash}`: chunks come in, and are kept if they are what they are called. */

import { availableParallelism } from 'node:os'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import { type ShareLimits, shares, withShare } from '@latchkey/service/limits/shares'
import { type Hash, isFlaw, mostXorbBytes, mostXorbFooterBytes } from '@latchkey/xet/format'
import type { Catalog } from '../catalog/catalog.ts'
import type { CheckedXorb } from '../checking/check-task.ts'
import type { XorbChecker } from '../checking/xorb-checker.ts'
import type { Draft, ObjectStore } from '../objects/port.ts'
import { type Asked, type Handle, jsonReply, type Reply } from '../request/asked.ts'
import type { ReceiveUpload } from '../request/receive-upload.ts'
import { contentInvalid } from '../request/refusals.ts'

export interface XorbUploading {
  readonly catalog: Catalog
  readonly objects: ObjectStore
  readonly checker: XorbChecker
  readonly receiveUpload: ReceiveUpload
}

const usualThreads = Math.max(1, availableParallelism() - 1)

/** One account may use every thread, and waits for its own xorbs; the threads have a few of each account under way in turn. */
const limitsFor = (threads: number): ShareLimits => ({
  max: 4 * threads,
  maxOfAccount: threads,
  maxOfRepository: threads,
  reserved: threads,
  // Their bytes are bounded as drafts; a client sends up to 64 at once.
  maxWaitingOfAccount: 512,
  maxWaitSeconds: 300,
})

/** Some clients send a footer, which is not kept. */
const kind = { name: 'xorb', mostBytes: mostXorbBytes + mostXorbFooterBytes } as const

export function uploadXorb(uploading: XorbUploading, threads = usualThreads): Handle {
  const slots = shares(limitsFor(threads))
  return async (asked, hash) => {
    const draft = await uploading.receiveUpload(asked, kind)
    if (isRefusal(draft)) return draft
    let isKept = false
    try {
      const checked = await withShare(slots.take(asked.payer, asked.signal), () =>
        check(uploading, { hash, draft }),
      )
      // The slot is free by now: while one xorb is synced and registered, the next one is checked.
      const reply = isRefusal(checked) ? checked : await keep(uploading, asked, { checked, draft })
      isKept = !isRefusal(reply)
      return reply
    } finally {
      const discarded = draft.discard()
      // Freeing a copy takes longer than naming one: waiting for it would tell that somebody has the same.
      if (isKept) discarded.catch(() => {})
      else await discarded
    }
  }
}

interface NamedXorb extends CheckedXorb {
  readonly hash: Hash
}

async function check(
  { checker }: XorbUploading,
  { hash, draft }: { readonly hash: Hash; readonly draft: Draft },
): Promise<NamedXorb | Refusal> {
  const checked = await checker.check(draft.id, hash)
  return isFlaw(checked) ? contentInvalid(checked.flaw) : { ...checked, hash }
}

/** Everything is checked and on the disk before the ref gets it, whoever else has the same already. */
async function keep(
  { catalog, objects }: XorbUploading,
  { place }: Asked,
  { checked, draft }: { readonly checked: NamedXorb; readonly draft: Draft },
): Promise<Reply | Refusal> {
  await draft.sync()
  const { askedChunks, ...xorb } = checked
  const added = await catalog.addXorb(place, xorb, askedChunks, () =>
    objects.keep(draft, xorb.digest),
  )
  return isRefusal(added) ? added : jsonReply({ was_inserted: added })
}
