/** The bounds that an operator gets without asking; loads nothing of the storage. */

export { defaultShardCaps, type ShardCaps } from './shard-caps.ts'
