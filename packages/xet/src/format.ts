/** The format of xorbs, shards and their hashes, for programs that read or write them. */

/** Where hashes are WebAssembly, it has to be awaited before the first of them: in browsers, Deno and Bun. */
export { loadHashes } from '#platform/hashes'
export { sameBytes } from './format/bytes.ts'
export { type CheckedChunks, checkXorb } from './format/check-xorb.ts'
export {
  type ChunkHeader,
  chunkHeaderLength,
  readChunkHeader,
  type Scheme,
} from './format/chunk-header.ts'
export {
  ChunkTable,
  chunkTableBuilder,
  rowsLengthOf,
  tableLength,
  tableTrailerLength,
} from './format/chunk-table.ts'
export { type FormatError, isFormatError } from './format/format-error.ts'
export { bytesOfHash, type Hash, hashAt, hashLength, parseHash, type Term } from './format/hash.ts'
export { chunkHash, fileHash, isEligible, rangeHash } from './format/hashing.ts'
export {
  maxChunkBytes,
  maxShardBytes,
  maxXorbBytes,
  maxXorbChunks,
  maxXorbFooterBytes,
} from './format/limits.ts'
export { type MerkleTree, merkleTree } from './format/merkle-tree.ts'
export { packChunk, type WrittenXorb, writeXorb } from './format/pack-chunk.ts'
export { readShard, type ShardFile, type ShardPart, type ShardXorb } from './format/read-shard.ts'
export { footerLength } from './format/shard-rows.ts'
export { unpackChunk, unpackWhole } from './format/unpack-chunk.ts'
export {
  type FileToRegister,
  type NamedTable,
  writeDedupShard,
  writeShard,
} from './format/write-shard.ts'
