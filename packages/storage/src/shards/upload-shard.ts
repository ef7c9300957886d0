/** `POST /v1/shards` and `/v2/shards`: files are registered, once everything that is said of them is found to be true. */

import { Readable } from 'node:stream'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import { maxShardBytes } from '@latchkey/xet/format'
import type { Catalog, StoredFile } from '../catalog/catalog.ts'
import type { FileHasher } from '../files/file-hasher.ts'
import type { Draft } from '../objects/object-store.ts'
import { jsonReply, type StorageCall, type StorageHandler } from '../request/asked.ts'
import type { ReceiveUpload } from '../request/receive-upload.ts'
import { refusalOfFailure } from '../request/refusals.ts'
import type { CheckedShard, Validating } from './check-shard.ts'
import type { CheckShard } from './shard-checker.ts'
import type { ShardSlots } from './shard-slots.ts'
import { isLarge, type ShardSize } from './shard-work.ts'

const kind = { name: 'shard', maxBytes: maxShardBytes } as const

export interface ShardParts {
  readonly catalog: Pick<Catalog, 'addFiles'>
  readonly checkShard: CheckShard
  readonly receiveUpload: ReceiveUpload
  readonly hasher: Pick<FileHasher, 'hashLater'>
  readonly slots: ShardSlots
}

/** Both forms of the request share their slots. */
export function shardUploads(parts: ShardParts): {
  readonly v1: StorageHandler
  readonly v2: StorageHandler
} {
  return { v1: uploadShard(parts), v2: uploadShardTelling(parts) }
}

function uploadShard(uploading: ShardParts): StorageHandler {
  return async (call) => {
    const draft = await uploading.receiveUpload(call, kind)
    if (isRefusal(draft)) return draft
    const added = await outcomeOf(register(uploading, call, draft))
    return isRefusal(added) ? added : jsonReply({ result: Number(added) })
  }
}

/** The same, telling how far it is: one JSON object a line, the last one with the outcome. */
function uploadShardTelling(uploading: ShardParts): StorageHandler {
  return async (call) => {
    const draft = await uploading.receiveUpload(call, kind)
    if (isRefusal(draft)) return draft
    const headers = ['Content-Type', 'application/x-ndjson']
    const events = Readable.from(tell(register(uploading, call, draft)))
    events.once('close', () => {
      // If the client disconnects first, we delete the draft; if that fails, garbage collection deletes it later.
      if (!events.readableDidRead) draft.discard().catch(() => {})
    })
    return { status: 200, headers, body: events }
  }
}

/** How far it is; in the end whether anything was new. */
type Registering = AsyncGenerator<Event, boolean | Refusal>

type Event = Validating | { readonly type: 'committing'; readonly stage: 'syncing' }

async function* register(uploading: ShardParts, call: StorageCall, draft: Draft): Registering {
  try {
    const added = yield* registerAs('small', uploading, { call, draft })
    return added === isLarge ? yield* registerLarge(uploading, { call, draft }) : added
  } finally {
    await draft.discard()
  }
}

interface Upload {
  readonly call: StorageCall
  readonly draft: Draft
}

/** It is checked from the beginning, and its client knows how far it was. */
async function* registerLarge(uploading: ShardParts, upload: Upload): Registering {
  const added = yield* registerAs('large', uploading, upload)
  if (added === isLarge) throw new Error('a large shard was taken for a small one')
  return added
}

async function* registerAs(
  size: ShardSize,
  { slots, checkShard, catalog, hasher }: ShardParts,
  { call, draft }: Upload,
): AsyncGenerator<Event, boolean | Refusal | typeof isLarge> {
  const release = await slots[size].take(call.payer, call.signal)
  if (isRefusal(release)) return release
  try {
    const checked = yield* checkShard(size, draft.id, call)
    if (isRefusal(checked) || checked === isLarge) return checked
    yield { type: 'committing', stage: 'syncing' }
    const added = await catalog.addFiles(call.place, checked)
    if (!isRefusal(added)) hasher.hashLater(call, claimedIn(checked))
    return added
  } finally {
    release()
  }
}

/** A client that says a SHA-256 will be asked for the file by it. */
function claimedIn({ files, claimed }: CheckedShard): readonly StoredFile[] {
  const hashes = new Set(claimed)
  return files.filter(({ hash }) => hashes.has(hash))
}

async function outcomeOf(registering: Registering): Promise<boolean | Refusal> {
  for (;;) {
    const { done, value } = await registering.next()
    if (done) return value
  }
}

/** The status is out by then, so that a refusal becomes the last line. */
async function* tell(registering: Registering): AsyncGenerator<string> {
  try {
    const outcome = yield* lines(registering)
    yield isRefusal(outcome)
      ? line({ type: 'error', message: outcome.detail })
      : line({ type: 'result', result: Number(outcome) })
  } catch (error) {
    const refusal = refusalOfFailure(error)
    if (refusal === undefined) throw error
    yield line({ type: 'error', message: refusal.detail })
  }
}

async function* lines(registering: Registering): AsyncGenerator<string, boolean | Refusal> {
  try {
    for (;;) {
      const { done, value } = await registering.next()
      if (done) return value
      yield line(value)
    }
  } finally {
    // A client that disconnects before the end has registered nothing.
    await registering.return(false)
  }
}

function line(event: object): string {
  return `${JSON.stringify(event)}\n`
}
