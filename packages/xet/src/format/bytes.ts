export function readUint24(bytes: Uint8Array, offset: number): number {
  return (
    byteAt(bytes, offset) | (byteAt(bytes, offset + 1) << 8) | (byteAt(bytes, offset + 2) << 16)
  )
}

/** With a sign: where only the bits matter. */
export function readInt32(bytes: Uint8Array, offset: number): number {
  return readUint24(bytes, offset) | (byteAt(bytes, offset + 3) << 24)
}

export function readUint32(bytes: Uint8Array, offset: number): number {
  return readInt32(bytes, offset) >>> 0
}

export function readUint64(bytes: Uint8Array, offset: number): bigint {
  return BigInt(readUint32(bytes, offset)) | (BigInt(readUint32(bytes, offset + 4)) << 32n)
}

export function writeUint24(bytes: Uint8Array, value: number, offset: number): void {
  bytes[offset] = value
  bytes[offset + 1] = value >>> 8
  bytes[offset + 2] = value >>> 16
}

export function writeUint32(bytes: Uint8Array, value: number, offset: number): void {
  writeUint24(bytes, value, offset)
  bytes[offset + 3] = value >>> 24
}

export function writeUint64(bytes: Uint8Array, value: bigint, offset: number): void {
  writeUint32(bytes, Number(value & 0xffffffffn), offset)
  writeUint32(bytes, Number(value >> 32n), offset + 4)
}

/** A caller that reads beyond the end has not checked the length. */
function byteAt(bytes: Uint8Array, offset: number): number {
  const byte = bytes[offset]
  if (byte === undefined) throw new RangeError('a number stands behind the end of its bytes')
  return byte
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}

/** The same bytes with more room behind them, which is zero. */
export function withRoom(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const longer = new Uint8Array(length)
  longer.set(bytes)
  return longer
}

export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  for (let index = 0; index < one.length; index += 1) {
    if (one[index] !== other[index]) return false
  }
  return true
}
