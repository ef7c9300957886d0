/** Has shards checked on threads of their own, and tells how far each is. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import type { View } from '../catalog/catalog.ts'
import type { DraftId } from '../objects/object-store.ts'
import type { ThreadPool } from '../threads/thread-pool.ts'
import { unpack } from './carried-registration.ts'
import type { CheckedShard, Validating } from './check-shard.ts'
import { isLarge, type ShardOutcome, type ShardSize, type ShardTask } from './shard-work.ts'

/** A caller that stops asking gives the shard up. */
export type CheckShard = (
  size: ShardSize,
  draft: DraftId,
  request: { readonly view: View; readonly signal: AbortSignal },
) => AsyncGenerator<Validating, CheckedShard | Refusal | typeof isLarge>

export type ShardPool = ThreadPool<ShardTask, Validating, ShardOutcome>

export function shardChecker(pool: ShardPool): CheckShard {
  return async function* (size, draft, { view, signal }) {
    const stopped = new AbortController()
    const progress = queueOf<Validating>()
    const checking = pool.run(
      { size, draft, view },
      { signal: AbortSignal.any([signal, stopped.signal]), onProgress: progress.add },
    )
    checking.finally(progress.end).catch(() => {})
    try {
      yield* progress.all()
      const checked = await checking
      return isRefusal(checked) || checked === isLarge ? checked : unpack(checked)
    } finally {
      stopped.abort()
      // The slot of a shard that is given up is free when its thread has stopped.
      await checking.catch(() => {})
    }
  }
}

/** Gives added items in order, up to the end. */
function queueOf<Item>() {
  const items: Item[] = []
  let isEnded = false
  let more = Promise.withResolvers<void>()
  const wake = () => {
    more.resolve()
    more = Promise.withResolvers()
  }
  return {
    add(item: Item) {
      items.push(item)
      wake()
    },
    end() {
      isEnded = true
      wake()
    },
    async *all(): AsyncGenerator<Item, void> {
      for (;;) {
        yield* items.splice(0)
        if (isEnded && items.length === 0) return
        if (items.length === 0) await more.promise
      }
    },
  }
}
