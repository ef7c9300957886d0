/** The signed head of a revocation list: which list counts, up to which journal number, until when. */

import { isJournalNumber, maxHeadSeconds, refuseOptions } from '@latchkey/protocol'
import { isSignedBy } from './is-signed-by.ts'
import { readJws } from './jws.ts'
import type { KeySet } from './key-set.ts'

export interface RevocationHead {
  /** The hub's public URL. */
  readonly iss: string
  /** The last entry of the journal whose cut-offs are in the list. */
  readonly seq: number
  /** SHA-256 of the list, base64url. */
  readonly list: string
  readonly iat: number
  readonly exp: number
}

export const headType = 'latchkey-revocations+jwt'

export { maxHeadSeconds } from '@latchkey/protocol'

const maxHeadLength = 4096

export type InvalidHead = 'malformed' | 'unknown_key' | 'forged' | 'wrong_issuer'

export type HeadVerificationResult =
  | { readonly ok: true; readonly head: RevocationHead; readonly kid: string }
  | { readonly ok: false; readonly reason: InvalidHead }

/** Whether it is over, or older than another one, is for the caller to judge. `keys` are never those of tokens. */
export async function verifyHead(
  text: string,
  expected: { readonly keys: KeySet; readonly issuer: string },
): Promise<HeadVerificationResult> {
  refuseOptions('verifyHead', expected, { keys: 'object', issuer: 'string' })
  const { keys, issuer } = expected
  const jws = text.length > maxHeadLength ? undefined : readJws(text)
  const head = jws?.typ === headType ? parseHead(jws.payload) : undefined
  if (jws === undefined || head === undefined) return { ok: false, reason: 'malformed' }
  const key = keys.get(jws.kid)
  if (key === undefined) return { ok: false, reason: 'unknown_key' }
  if (jws.alg !== key.alg) return { ok: false, reason: 'malformed' }
  if (!(await isSignedBy(jws, key))) return { ok: false, reason: 'forged' }
  if (head.iss !== issuer) return { ok: false, reason: 'wrong_issuer' }
  return { ok: true, head, kid: key.kid }
}

/** Fixed members in a fixed order, nothing else. */
export function serialiseHead({ iss, seq, list, iat, exp }: RevocationHead): string {
  return JSON.stringify({ iss, seq, list, iat, exp })
}

function parseHead(text: string): RevocationHead | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isHead(value) && serialiseHead(value) === text ? value : undefined
  } catch {
    return undefined
  }
}

function isHead(value: unknown): value is RevocationHead {
  const { iss, seq, list, iat, exp } = Object(value)
  return (
    typeof iss === 'string' &&
    isJournalNumber(seq) &&
    typeof list === 'string' &&
    /^[\w-]{43}$/.test(list) &&
    Number.isSafeInteger(iat) &&
    Number.isSafeInteger(exp) &&
    exp > iat &&
    exp - iat <= maxHeadSeconds
  )
}
