/** The threads of a storage: one pool for each kind of work, so that no kind waits for another. */

import { availableParallelism } from 'node:os'
import type { ShardCaps } from './bounds/shard-caps.ts'
import { type XorbChecker, xorbChecker } from './checking/xorb-checker.ts'
import { type CheckShard, type ShardPool, shardChecker } from './requests/shard-checker.ts'
import type { ShardData } from './requests/shard-work.ts'
import { mostShardsAtOnce } from './requests/upload-shard.ts'
import type { OpenPool } from './threads/thread-pool.ts'

export interface StoragePools {
  readonly checker: XorbChecker
  readonly checkShard: CheckShard
  /** Work that is not done yet fails. */
  close(): Promise<void>
}

export interface PoolsOptions {
  readonly openPool: OpenPool
  readonly data: string
  readonly caps: ShardCaps
}

/** One core is left to requests. */
const spare = Math.max(1, availableParallelism() - 1)

export function openPools({ openPool, data, caps }: PoolsOptions): StoragePools {
  const checker = xorbChecker(openPool, spare)
  const shards: ShardPool = openPool({
    module: new URL('./requests/shard-work.ts', import.meta.url),
    data: { data, caps } satisfies ShardData,
    threads: Math.min(spare, mostShardsAtOnce),
    tasksEach: mostShardsAtOnce,
  })
  return {
    checker,
    checkShard: shardChecker(shards),
    async close() {
      await Promise.all([checker.close(), shards.close()])
    },
  }
}
