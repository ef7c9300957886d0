/** The compact form of a signed document (RFC 7515): one spelling each, checked before anything is believed. */

import { isUtf8 } from 'node:buffer'

/** The parts of a JWS, not verified yet. */
export interface Jws {
  readonly alg: string
  readonly kid: string
  readonly typ: string
  readonly payload: string
  /** The signed text: header and payload as they are encoded. */
  readonly signed: string
  readonly signature: Buffer
}

/** Undefined unless the three parts are spelt as our own signers spell them. */
export function readJws(text: string): Jws | undefined {
  const [header = '', encoded = '', last = '', more] = text.split('.')
  const signature = decodeCanonical(last)
  if (more !== undefined || signature?.length !== 64) return undefined
  const head = readHeader(textOf(header) ?? '')
  const payload = textOf(encoded)
  if (head === undefined || payload === undefined) return undefined
  return { ...head, payload, signed: `${header}.${encoded}`, signature }
}

/** Node ignores what does not belong to base64url; encoding again shows whether anything was. */
function decodeCanonical(segment: string): Buffer | undefined {
  const bytes = Buffer.from(segment, 'base64url')
  return bytes.toString('base64url') === segment ? bytes : undefined
}

/** Bytes that are no text would be read as replacement characters, and so two spellings as one. */
function textOf(segment: string): string | undefined {
  const bytes = decodeCanonical(segment)
  return bytes !== undefined && isUtf8(bytes) ? bytes.toString() : undefined
}

function readHeader(text: string): Pick<Jws, 'alg' | 'kid' | 'typ'> | undefined {
  const pattern = /^\{"alg":"(\w+)","kid":"([\w-]{43})","typ":"([a-z+-]+)"\}$/
  const [, alg, kid, typ] = pattern.exec(text) ?? []
  return alg === undefined || kid === undefined || typ === undefined ? undefined : { alg, kid, typ }
}
