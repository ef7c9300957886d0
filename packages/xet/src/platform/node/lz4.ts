import { compressFrameSync, compressSync, uncompressSync } from 'lz4-napi'

/** Whether chunks are made smaller here. */
export const canPack = true

export function packFrame(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return compressFrameSync(bufferOf(bytes)) as Buffer<ArrayBuffer>
}

/** Bytes of a packed block, without the frame around it. */
export function packedLength(bytes: Uint8Array): number {
  return compressSync(bufferOf(bytes)).length
}

/** Throws where the block is not sound, or has more than `room` bytes. It may refer into what comes `before` it. */
export function unpackBlock(packed: Uint8Array, room: number, before: Uint8Array): Uint8Array {
  // The library allocates what stands before the block: never more than there is room for.
  const sized = Buffer.allocUnsafe(4 + packed.length)
  sized.writeUInt32LE(room)
  sized.set(packed, 4)
  return before.length === 0 ? uncompressSync(sized) : uncompressSync(sized, before)
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
