/** The format of xorbs, shards and their hashes, for whoever reads or writes them. */

export { checkXorb } from './check-xorb.ts'
export {
  type ChunkHeader,
  chunkHeaderLength,
  readChunkHeader,
  type Scheme,
} from './chunk-header.ts'
export { ChunkTable } from './chunk-table.ts'
export { isEligible } from './eligible.ts'
export { type Flaw, isFlaw } from './flaw.ts'
export { bytesOfHash, type Hash, hashAt, parseHash } from './hash.ts'
export { chunkHash, fileHash, rangeHash } from './hashing.ts'
export { mostChunkBytes, mostShardBytes, mostXorbBytes, mostXorbChunks } from './limits.ts'
export { merkleTree } from './merkle-tree.ts'
export { packChunk } from './pack-chunk.ts'
export { readShard, type ShardFile, type ShardPart, type ShardXorb } from './read-shard.ts'
export { unpackChunk, unpackWhole } from './unpack-chunk.ts'
export { type FileToRegister, type NamedTable, writeDedupShard, writeShard } from './write-shard.ts'
export { type WrittenXorb, writeXorb } from './write-xorb.ts'
