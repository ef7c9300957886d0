/** Where a download puts chunks: at their positions, in any order. */

import type { FoundChunk } from './walk-run.ts'

export interface DownloadTarget {
  /** Puts chunks that follow one another in a run. Their memory is good until it is done. */
  put(runName: string, chunks: readonly FoundChunk[]): Promise<void>
  /** What an earlier download has put, if there was one. */
  readonly earlier?: EarlierDownload
}

export interface EarlierDownload {
  /** From the first chunk of the run on, without a gap. None of it is believed before it is hashed again. */
  chunksOf(runName: string): readonly EarlierChunk[]
  /** Fewer bytes where there are no more. */
  read(position: number, length: number): Promise<Uint8Array>
}

export interface EarlierChunk extends Pick<FoundChunk, 'hash' | 'packedLength'> {
  readonly length: number
}
