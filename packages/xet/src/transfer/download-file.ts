/** Downloads a file: chunk after chunk, each from its xorb, and in the end they must be the file that was asked for. */

import { type Hash, hashAt } from '../format/hash.ts'
import { chunkHash, fileHash } from '../format/hashing.ts'
import { merkleTree } from '../format/merkle-tree.ts'
import type { DownloadCalls } from './download-calls.ts'
import { Misdelivered } from './misdelivered.ts'
import { readReconstruction } from './read-reconstruction.ts'
import { readTerms } from './read-terms.ts'

export interface Download {
  readonly bytes: number
  /** Fails in its end if it was not the file. */
  readonly chunks: AsyncIterable<Uint8Array>
}

export async function downloadFile(calls: DownloadCalls, file: Hash): Promise<Download> {
  const reconstruction = readReconstruction(await calls.reconstruct(file))
  const bytes = reconstruction.terms.reduce((sum, { unpackedBytes }) => sum + unpackedBytes, 0)
  return { bytes, chunks: checked(readTerms(calls, file, reconstruction), file) }
}

async function* checked(chunks: AsyncIterable<Uint8Array>, file: Hash): AsyncGenerator<Uint8Array> {
  const tree = merkleTree()
  for await (const chunk of chunks) {
    tree.add(chunkHash(chunk), chunk.length)
    yield chunk
  }
  const came = hashAt(fileHash(tree.root()))
  if (came !== file) {
    throw new Misdelivered(`the storage sent another file, ${came}, instead of ${file}`)
  }
}
