import type { Hash } from '../format/hash.ts'

export interface DownloadCalls {
  /** The reconstruction of a whole file, or of the chunks that hold these bytes of it. */
  reconstruct(file: Hash, bytes?: ByteRange): Promise<ReconstructionAnswer>
  /** Fills `into`, from its beginning, with the bytes that a URL opens. `blobReader` does it. */
  readRun(request: BlobRequest, into: Uint8Array): Promise<ArrivedBytes>
  /** Before something is tried once more. */
  pause(tries: number): Promise<void>
  /** Attempts in a row that may bring no byte before the download fails. Default: those of 60 s. */
  readonly maxTries?: number
}

/** The last byte is included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
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
  readonly bytes: ByteRange
}

export interface ArrivedBytes {
  /** How many bytes came. */
  readonly bytes: number
  /** Why they are fewer than were asked for. */
  readonly broken?: RangeFetchError
}

/** Reads the bytes that blob URLs open: without a token, and without following redirects. */
export interface BlobReader {
  /** Every URL is judged before anything is sent, also where a connection is open already. */
  read(request: BlobRequest, into: Uint8Array): Promise<ArrivedBytes>
  /** Ends what is under way; nothing is opened any more. */
  close(): void
}

/** A URL does not open what it should, or the bytes break off: with a new one it may go on. */
export class RangeFetchError extends Error {
  override readonly name = 'RangeFetchError'
}
