/** Where a download puts chunks: at their positions, in any order. */

import type { FoundChunk } from './walk-run.ts'

export interface DownloadTarget {
  /** The memory of the chunks is good until it is done. */
  put(batch: FoundChunks): Promise<void>
  /** Nothing more is put. Whether it is the file that was asked for is found out next. */
  allPut?(): void
  /** What an earlier download has put, if there was one. */
  readonly earlier?: EarlierDownload
}

/** Chunks that follow one another in a run. */
export interface FoundChunks {
  readonly runName: string
  /** Which chunk of the run is the first of them. */
  readonly first: number
  readonly chunks: readonly FoundChunk[]
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
