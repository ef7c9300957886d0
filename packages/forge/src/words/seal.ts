/** Texts that clients carry for the forge: closed to them, and good at the place alone that they were made for. */

import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { RandomBytes } from '@latchkey/service/machine/random'

export interface Seal {
  /** `place` is not in the text: it must be known again to open it. */
  close(place: string, text: string): string
  /** Undefined for whatever was not closed with this key, for this place. */
  open(place: string, sealed: string): string | undefined
}

const algorithm = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16
/** Before the text: how long it is. */
const sizeLength = 4
/** Texts are filled up to a multiple of it. A cursor fits in one, so its length says nothing about the name in it. */
const blockLength = 256

/** The key lives as long as the process: what was sealed before a restart is asked for again. */
export function openSeal(randomBytes: RandomBytes): Seal {
  const key = Buffer.from(randomBytes(32))
  return {
    close(place, text) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(place))
      const hidden = Buffer.concat([cipher.update(filled(text)), cipher.final()])
      return Buffer.concat([nonce, hidden, cipher.getAuthTag()]).toString('base64url')
    },
    open(place, sealed) {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes.length < nonceLength + tagLength) return undefined
      const nonce = bytes.subarray(0, nonceLength)
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength })
      decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-tagLength))
      try {
        const hidden = bytes.subarray(nonceLength, -tagLength)
        const text = Buffer.concat([decipher.update(hidden), decipher.final()])
        return text.toString('utf8', sizeLength, sizeLength + text.readUInt32BE())
      } catch {
        return undefined
      }
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
