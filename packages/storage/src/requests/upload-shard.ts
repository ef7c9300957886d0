/** `POST /v1/shards` and `/v2/shards`: files are registered, once everything that is said of them is found to be true. */

import { Readable } from 'node:stream'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import { mostShardBytes } from '../format/limits.ts'
import { DiskFull, type Draft } from '../objects/object-store.ts'
import { type Asked, type Handle, jsonReply } from './asked.ts'
import { checkShard, type ShardChecking, type Validating } from './check-shard.ts'
import { diskFull, tooLarge } from './refusals.ts'
import { type TakeTurn, turns } from './turns.ts'

/** What is held of a shard while it is checked is bounded; so is how many are. */
const mostAtOnce = { inAll: 4, ofOne: 1 }

export interface ShardUploading extends ShardChecking {
  readonly takeTurn: TakeTurn
}

/** Both forms of the request share their turns. */
export function shardUploads(checking: ShardChecking): {
  readonly v1: Handle
  readonly v2: Handle
} {
  const uploading = { ...checking, takeTurn: turns(mostAtOnce) }
  return { v1: uploadShard(uploading), v2: uploadShardTelling(uploading) }
}

function uploadShard(uploading: ShardUploading): Handle {
  return async (asked) => {
    const draft = await receive(uploading, asked)
    if (isRefusal(draft)) return draft
    const added = await outcomeOf(register(uploading, asked, draft))
    return isRefusal(added) ? added : jsonReply({ result: Number(added) })
  }
}

/** The same, telling how far it is: one JSON object a line, the last one with the outcome. */
function uploadShardTelling(uploading: ShardUploading): Handle {
  return async (asked) => {
    const draft = await receive(uploading, asked)
    if (isRefusal(draft)) return draft
    const headers = ['Content-Type', 'application/x-ndjson']
    const events = Readable.from(tell(register(uploading, asked, draft)))
    events.once('close', () => {
      // Who leaves before the first word leaves it to us; what cannot be removed, collection finds.
      if (!events.readableDidRead) draft.discard().catch(() => {})
    })
    return { status: 200, headers, body: events }
  }
}

async function receive({ objects }: ShardUploading, { body }: Asked): Promise<Draft | Refusal> {
  const isTooLong = (body.length ?? 0) > mostShardBytes
  const draft = isTooLong ? undefined : await objects.receive(body.stream, mostShardBytes)
  return draft ?? tooLarge('shard', mostShardBytes)
}

/** How far it is; in the end whether anything was new. */
type Registering = AsyncGenerator<Event, boolean | Refusal>

type Event = Validating | { readonly type: 'committing'; readonly stage: 'syncing' }

async function* register(uploading: ShardUploading, asked: Asked, draft: Draft): Registering {
  let endTurn: (() => void) | undefined
  try {
    endTurn = await uploading.takeTurn(asked.place.repositoryUid, asked.signal)
    const checked = yield* checkShard(uploading, asked, draft.file)
    if (isRefusal(checked)) return checked
    yield { type: 'committing', stage: 'syncing' }
    return await uploading.catalog.addFiles(asked.place, checked)
  } finally {
    endTurn?.()
    await draft.discard()
  }
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
    if (!(error instanceof DiskFull)) throw error
    yield line({ type: 'error', message: diskFull.detail })
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
    // Who leaves before the end has registered nothing.
    await registering.return(false)
  }
}

function line(event: object): string {
  return `${JSON.stringify(event)}\n`
}
