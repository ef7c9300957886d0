/** LZ4 where there is no native code: blocks are unpacked, and nothing is packed. */

/** Whether chunks are made smaller here. */
export const canPack = false

export function packFrame(_bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  throw new Error('chunks are packed in Node alone: elsewhere they are sent as they are')
}

export function packedLength({ length }: Uint8Array): number {
  return length
}

/** A match is longer than this by what the token says. */
const shortestMatch = 4
/** The largest number that fits into half a token: more bytes follow. */
const halfToken = 15

/**
 * Throws where the block is not sound, or has more than `room` bytes. It may refer into what comes `before` it. Every
 * length and every distance is checked before it is used: a block may come from any uploader.
 */
export function unpackBlock(packed: Uint8Array, room: number, before: Uint8Array): Uint8Array {
  const out = new Uint8Array(before.length + room)
  out.set(before)
  let [from, to] = [0, before.length]
  const next = (): number => {
    const byte = packed[from]
    if (byte === undefined) throw unsound()
    from += 1
    return byte
  }
  const lengthOf = (half: number): number => {
    let length = half
    for (let more = half === halfToken ? 255 : 0; more === 255; length += more) more = next()
    return length
  }
  for (;;) {
    const token = next()
    const literals = lengthOf(token >>> 4)
    if (from + literals > packed.length || to + literals > out.length) throw unsound()
    out.set(packed.subarray(from, from + literals), to)
    from += literals
    to += literals
    // A block ends with literals.
    if (from === packed.length) return out.subarray(before.length, to)
    const distance = next() + next() * 256
    const length = lengthOf(token & halfToken) + shortestMatch
    if (distance === 0 || distance > to || to + length > out.length) throw unsound()
    copyMatch(out, to, distance, length)
    to += length
  }
}

/** A match may reach into what it copies: then its bytes come again and again. */
function copyMatch(out: Uint8Array, to: number, distance: number, length: number): void {
  if (distance >= length) {
    out.copyWithin(to, to - distance, to - distance + length)
    return
  }
  for (let at = to; at < to + length; at += 1) out[at] = out[at - distance] ?? 0
}

function unsound(): RangeError {
  return new RangeError('the LZ4 block is not sound')
}
