/** Texts that clients carry for the forge: closed to them, and good at the place alone that they were made for. */

import type { RandomBytes } from '@latchkey/service/machine/random'
import { seal, unseal } from '@latchkey/service/machine/seal'

export interface Seal {
  /** `place` is not in the text: it must be known again to open it. */
  close(place: string, text: string): string
  /** Undefined for whatever was not closed with this key, for this place. */
  open(place: string, sealed: string): string | undefined
}

/** Before the text: how long it is. */
const sizeLength = 4
/** Texts are filled up to a multiple of it. A cursor fits in one, so its length says nothing about the name in it. */
const blockLength = 256

/** The key lives as long as the process: what was sealed before a restart is asked for again. */
export function openSeal(randomBytes: RandomBytes): Seal {
  const key = Buffer.from(randomBytes(32))
  return {
    close(place, text) {
      return seal(filled(text), { key, boundTo: place }, randomBytes).toString('base64url')
    },
    open(place, sealed) {
      const text = unseal(Buffer.from(sealed, 'base64url'), { key, boundTo: place })
      return text?.toString('utf8', sizeLength, sizeLength + text.readUInt32BE())
    },
  }
}

function filled(text: string): Buffer {
  const size = sizeLength + Buffer.byteLength(text)
  const bytes = Buffer.alloc(Math.ceil(size / blockLength) * blockLength)
  bytes.writeUInt32BE(size - sizeLength)
  bytes.write(text, sizeLength)
  return bytes
}
