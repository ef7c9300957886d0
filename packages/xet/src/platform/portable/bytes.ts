/** Memory and hexadecimal words, with what every platform has. */

/** A page may share memory with its workers only if its server says so. */
export const sharesMemory = false

export function allocate(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(length)
}

export function copyBytes(bytes: Uint8Array, into: Uint8Array, at: number): void {
  into.set(bytes, at)
}

const wordBytes = 8
const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/**
 * The hex form of the 32 bytes from `offset` on: four words of 64 bits, the lowest byte of each
 * last.
 */
export function hexOfWords(bytes: Uint8Array, offset: number): string {
  let hex = ''
  for (let word = offset; word < offset + 32; word += wordBytes) {
    for (let at = word + wordBytes - 1; at >= word; at -= 1) hex += hexOfByte[bytes[at] ?? 0]
  }
  return hex
}

export function bytesOfWords(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2)
  for (let at = 0; at < bytes.length; at += 1) {
    const from = at - (at % wordBytes) + (wordBytes - 1 - (at % wordBytes))
    bytes[at] = Number.parseInt(hex.slice(from * 2, from * 2 + 2), 16)
  }
  return bytes
}

/** Keeps no process alive. A timer is an object in Bun, a number in Deno and browsers. */
export function unref(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) {
    ;(timer as { unref(): void }).unref()
  } else {
    const { Deno } = globalThis as { Deno?: { unrefTimer?(timer: unknown): void } }
    Deno?.unrefTimer?.(timer)
  }
}
