/** How many shards are checked and registered at once, and by whom. */

import { type Shares, shares } from '@latchkey/service/limits/shares'
import type { ShardSize } from './shard-work.ts'

export type ShardSlots = Readonly<Record<ShardSize, Shares>>

/** A large one holds up to 32 MiB of chunk tables while it is checked, a small one less than a tenth of it. */
const max: Readonly<Record<ShardSize, number>> = { small: 32, large: 4 }

/** The threads that check shards have as many under way. */
export const maxShardsAtOnce = max.small + max.large

/** One at a time for an account, however many repositories it has: so there is nothing to reserve for others. */
const ofOne = {
  maxOfAccount: 1,
  maxOfRepository: 1,
  // Drafts, whose bytes are bounded as well; a client sends up to 64 at once.
  maxWaitingOfAccount: 512,
  maxWaitSeconds: 300,
}

/** Every shard begins as a small one, so that the large shards of some accounts keep no other account out. */
export function shardSlots(): ShardSlots {
  return {
    small: shares({ max: max.small, ...ofOne }),
    large: shares({ max: max.large, ...ofOne }),
  }
}
