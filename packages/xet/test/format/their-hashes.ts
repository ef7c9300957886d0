/** The hashes as the Hugging Face client for JavaScript computes them: its own code, unchanged. */

import { createRequire } from 'node:module'

interface TheirChunk {
  readonly hash: Uint8Array
  readonly length: number
}

interface TheirHashes {
  getChunks(data: Uint8Array, targetSize?: number): TheirChunk[]
  xorbHash(chunks: readonly TheirChunk[]): Uint8Array
  fileHash(chunks: readonly TheirChunk[]): Uint8Array
  verificationHash(hashes: readonly Uint8Array[]): Uint8Array
  hashToHex(hash: Uint8Array): string
}

/** The client brings it along, and only the client. */
const requireHere = createRequire(import.meta.url)
const requireThere = createRequire(requireHere.resolve('@huggingface/hub'))

export const theirs: TheirHashes = requireThere('@huggingface/xetchunk-wasm')
