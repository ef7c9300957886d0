const kibibyte = 1024
const mebibyte = 1024 * kibibyte

export const maxChunkBytes = 128 * kibibyte

/** A chunk that packing made larger is still read, up to twice its longest. */
export const maxPackedChunkBytes = 2 * maxChunkBytes

export const maxXorbChunks = 8192

/** Clients fill a xorb with 64 MiB before the headers of its chunks come on top. */
export const maxXorbBytes = 64 * mebibyte + maxXorbChunks * 8

/**
 * Bytes that a client may add behind the chunks: a hash and two offsets for each, and less than 256
 * bytes.
 */
export const maxXorbFooterBytes = maxXorbChunks * 40 + 256

export const maxShardBytes = 64 * mebibyte

export interface XorbLimits {
  readonly chunks: number
  readonly bytes: number
}

export const xorbLimits: XorbLimits = { chunks: maxXorbChunks, bytes: maxXorbBytes }
