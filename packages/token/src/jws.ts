/** The compact form of a signed document (RFC 7515): one spelling each, checked before anything is believed. */

import { isUtf8 } from 'node:buffer'
import { compactVerify } from 'jose'
import type { VerifyingKey } from './key-set.ts'

/** Nothing verified yet. */
export interface Jws {
  readonly alg: string
  readonly kid: string
  readonly typ: string
  readonly payload: string
}

/** Undefined unless the three parts are spelt as our own signers spell them. */
export function readJws(text: string): Jws | undefined {
  const [header = '', payload = '', signature = '', more] = text.split('.')
  if (more !== undefined || decodeCanonical(signature)?.length !== 64) return undefined
  const head = readHeader(textOf(header) ?? '')
  const said = textOf(payload)
  return head === undefined || said === undefined ? undefined : { ...head, payload: said }
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

function readHeader(text: string): Omit<Jws, 'payload'> | undefined {
  const pattern = /^\{"alg":"(\w+)","kid":"([\w-]{43})","typ":"([a-z+-]+)"\}$/
  const [, alg, kid, typ] = pattern.exec(text) ?? []
  return alg === undefined || kid === undefined || typ === undefined ? undefined : { alg, kid, typ }
}

export async function isSignedBy(text: string, { publicKey, alg }: VerifyingKey): Promise<boolean> {
  try {
    await compactVerify(text, publicKey, { algorithms: [alg] })
    return true
  } catch {
    return false
  }
}
