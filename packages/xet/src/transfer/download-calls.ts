/** What a download asks of a storage. */

import type { Hash } from '../format/hash.ts'

export interface DownloadCalls {
  reconstruct(file: Hash): Promise<ReconstructionAnswer>
  /** The bytes that a URL opens; `BrokenRun` where it does not, or they break off. `readBlob` does it. */
  readRun(request: BlobRequest): AsyncIterable<Uint8Array>
  /** Before something is tried once more. */
  pause(tries: number): Promise<void>
}

export interface ReconstructionAnswer {
  /** Where the storage is that gave the answer. */
  readonly storageUrl: string
  /** As JSON has it; nothing in it is believed yet. */
  readonly answer: unknown
}

export interface BlobRequest {
  /** As the storage named it; nothing about it is believed yet. */
  readonly url: string
  readonly storageUrl: string
  /** The last byte is included. */
  readonly bytes: { readonly start: number; readonly end: number }
}

/** A URL does not open what it should, or the bytes break off: with a new one it may go on. */
export class BrokenRun extends Error {
  override readonly name = 'BrokenRun'
}
