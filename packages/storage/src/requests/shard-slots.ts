/** How many shards are checked and registered at once, and by whom. */

import type { ShardSize } from './shard-work.ts'
import { shares, type TakeShare } from './shares.ts'

/** A large one holds up to 32 MiB of chunk tables while it is checked, a small one less than a tenth of it. */
const mostAtOnce: Readonly<Record<ShardSize, number>> = { small: 32, large: 4 }

/** The threads that check shards have as many under way. */
export const mostShardsAtOnce = mostAtOnce.small + mostAtOnce.large

/** Every shard begins as a small one, so that the large shards of some accounts keep no other account out. */
export function shardSlots(): Readonly<Record<ShardSize, TakeShare>> {
  return { small: slotsFor('small'), large: slotsFor('large') }
}

/** One at a time for an account, however many repositories it has: others have the other slots. */
function slotsFor(size: ShardSize): TakeShare {
  return shares({
    inAll: mostAtOnce[size],
    ofAccount: 1,
    ofRepository: 1,
    // Drafts, whose bytes are bounded as well; a client sends up to 64 at once.
    waiting: 512,
  })
}
