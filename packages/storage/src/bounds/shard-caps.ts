/** How much one shard may hold, unless the operator says otherwise. */

/** A shard's rows are written in one transaction, and every other writer waits for it. */
export interface ShardCaps {
  /** One that comes twice counts twice. */
  readonly files: number
  /** Distinct ones that its files name or it lists, and also all that it lists. */
  readonly xorbs: number
  /** Terms of all files together. */
  readonly terms: number
  /** That the terms of all files cover, each time they do. */
  readonly chunks: number
}

export const defaultShardCaps: ShardCaps = {
  files: 8192,
  xorbs: 2048,
  terms: 131_072,
  chunks: 2_097_152,
}
