/** A safetensors file: the length of its header, the header, and the bytes of its tensors. */
export function safetensors(header: object | string, length?: bigint): Buffer {
  const text = typeof header === 'string' ? header : JSON.stringify(header)
  const start = Buffer.alloc(8)
  start.writeBigUInt64LE(length ?? BigInt(Buffer.byteLength(text)))
  return Buffer.concat([start, Buffer.from(text), Buffer.alloc(64)])
}
