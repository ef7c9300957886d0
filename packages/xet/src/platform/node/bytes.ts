/** Memory and hexadecimal words, as Node does them fastest. */

/** Threads share it, so that nothing is copied between them. */
export const sharesMemory = true

/** Not zeroed. */
export function allocate(length: number): Uint8Array<ArrayBuffer> {
  return Buffer.allocUnsafe(length)
}

/** `set` copies shared memory word by word, and byte by byte where it is not aligned: it takes three times as long. */
export function copyBytes(bytes: Uint8Array, into: Uint8Array, at: number): void {
  Buffer.prototype.copy.call(bytes, into, at)
}

/** Used again and again: many hashes are written. */
const turned = Buffer.alloc(32)

/**
 * The hex form of the 32 bytes from `offset` on: four words of 64 bits, the lowest byte of each
 * last.
 */
export function hexOfWords(bytes: Uint8Array, offset: number): string {
  turned.set(bytes.subarray(offset, offset + turned.length))
  return turned.swap64().toString('hex')
}

export function bytesOfWords(hex: string): Uint8Array<ArrayBuffer> {
  return Buffer.from(hex, 'hex').swap64()
}

/** Keeps no process alive. */
export function unref(timer: NodeJS.Timeout): void {
  timer.unref()
}
