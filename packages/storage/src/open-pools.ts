/** The threads of a storage: one pool for each kind of work, so that no kind waits for another. */

import { availableParallelism } from 'node:os'
import type { DayKeys } from './blob-url/day-keys.ts'
import { defaultShardCaps } from './bounds/shard-caps.ts'
import { placeOf } from './catalog-place/open-catalog.ts'
import { type XorbChecker, xorbChecker } from './checking/xorb-checker.ts'
import type { ContentData } from './files/content-work.ts'
import { maxHashedAtOnce, type Sha256Pool } from './files/file-hasher.ts'
import type { PackData, PackPool } from './files/pack-work.ts'
import type { ContentPool } from './files/read-file.ts'
import type { Sha256Data } from './files/sha256-work.ts'
import { type ReadBack, readsBack } from './grants/read-back.ts'
import { objectsOf } from './objects/open-objects.ts'
import type { PlanData } from './reconstructions/plan-work.ts'
import {
  type PlanPool,
  type PlanReconstruction,
  planner,
  type Size,
} from './reconstructions/planner.ts'
import type { StorageSettings } from './settings.ts'
import { type CheckShard, type ShardPool, shardChecker } from './shards/shard-checker.ts'
import { maxShardsAtOnce } from './shards/shard-slots.ts'
import type { ShardData } from './shards/shard-work.ts'
import type { OpenPool } from './threads/thread-pool.ts'

export interface StoragePools {
  readonly checker: XorbChecker
  readonly checkShard: CheckShard
  readonly plan: PlanReconstruction
  readonly sha256s: Pick<Sha256Pool, 'run'>
  readonly contents: Pick<ContentPool, 'run'>
  readonly packs: Pick<PackPool, 'run'>
  readonly readBack: ReadBack
  /** Work that is not done yet fails. */
  close(): Promise<void>
}

/** One core is left to requests. */
const spare = Math.max(1, availableParallelism() - 1)

/** As many as there are slots for large shards. */
const maxShardThreads = 4

/** More threads than these would wait for the main thread, which sends what they make. */
const maxPlanThreads = 4

/**
 * How many plans one thread has under way: one that waits for a table on the disk keeps no other waiting. A large one
 * takes some 40 MB until it is rendered.
 */
const plansEach = { small: 16, large: 2 }

/** They read content that nobody waits for, and take turns with its pieces. */
const maxSha256Threads = 2
const sha256TableBytes = 8 * 1024 * 1024

/** They unpack for clients that cannot; more of them would wait for the main thread, which sends what they make. */
const maxContentThreads = 2
const contentTableBytes = 8 * 1024 * 1024
/** One that waits for the disk keeps no other waiting. */
const contentsEach = 4

/** Tables of xorbs that a file repeats. */
const packTableBytes = 4 * 1024 * 1024

/** Bytes of chunk tables in the memory of all threads of such a pool. */
const planTableBytes = 24 * 1024 * 1024

export function openPools(
  openPool: OpenPool,
  settings: StorageSettings,
  keys: DayKeys,
): StoragePools {
  const checker = xorbChecker(openPool, objectsOf(settings), spare)
  const shards = openShardPool(openPool, settings)
  const openPlans = planPools(openPool, settings)
  const [small, large] = [openPlans('small'), openPlans('large')]
  const sha256s = openSha256Pool(openPool, settings)
  const contents = openContentPool(openPool, settings)
  const packs = openPackPool(openPool, settings)
  const readBack = readsBack(openPool, objectsOf(settings), spare)
  return {
    checker,
    checkShard: shardChecker(shards),
    plan: planner({ small, large }, keys),
    sha256s,
    contents,
    packs,
    readBack,
    async close() {
      const pools = [checker, shards, small, large, sha256s, contents, packs, readBack]
      await Promise.all(pools.map((pool) => pool.close()))
    },
  }
}

function openShardPool(openPool: OpenPool, settings: StorageSettings): ShardPool {
  return openPool({
    module: new URL('./shards/shard-work.ts', import.meta.url),
    data: {
      ...placeOf(settings),
      objects: objectsOf(settings),
      caps: settings.shardCaps ?? defaultShardCaps,
    } satisfies ShardData,
    threads: Math.min(spare, maxShardThreads),
    tasksEach: maxShardsAtOnce,
  })
}

function openSha256Pool(openPool: OpenPool, settings: StorageSettings): Sha256Pool {
  return openPool({
    module: new URL('./files/sha256-work.ts', import.meta.url),
    data: {
      ...placeOf(settings),
      objects: objectsOf(settings),
      tableBytes: sha256TableBytes,
    } satisfies Sha256Data,
    threads: Math.min(spare, maxSha256Threads),
    tasksEach: maxHashedAtOnce,
  })
}

function openContentPool(openPool: OpenPool, settings: StorageSettings): ContentPool {
  return openPool({
    module: new URL('./files/content-work.ts', import.meta.url),
    data: { place: objectsOf(settings), tableBytes: contentTableBytes } satisfies ContentData,
    threads: Math.min(spare, maxContentThreads),
    tasksEach: contentsEach,
  })
}

function openPackPool(openPool: OpenPool, settings: StorageSettings): PackPool {
  return openPool({
    module: new URL('./files/pack-work.ts', import.meta.url),
    data: {
      ...placeOf(settings),
      objects: objectsOf(settings),
      tableBytes: packTableBytes,
    } satisfies PackData,
    threads: spare,
  })
}

function planPools(openPool: OpenPool, settings: StorageSettings): (size: Size) => PlanPool {
  const threads = Math.min(spare, maxPlanThreads)
  const tableBytes = Math.floor(planTableBytes / threads)
  return (size) =>
    openPool({
      module: new URL('./reconstructions/plan-work.ts', import.meta.url),
      data: {
        ...placeOf(settings),
        objects: objectsOf(settings),
        casUrl: settings.casUrl,
        directDownloads: settings.directDownloads,
        tableBytes,
      } satisfies PlanData,
      threads,
      tasksEach: plansEach[size],
    })
}
