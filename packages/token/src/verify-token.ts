/** A token becomes the claim set it was signed over, or the reason why it is not one. */

import { isUtf8 } from 'node:buffer'
import type { UnixSeconds } from '@latchkey/protocol'
import { compactVerify } from 'jose'
import { type Claims, longestToken } from './claims.ts'
import type { KeySet, VerifyingKey } from './key-set.ts'
import { parseClaims } from './parse-claims.ts'

export type Verified =
  | { readonly ok: true; readonly claims: Claims; readonly kid: string }
  | { readonly ok: false; readonly reason: InvalidToken }

export type InvalidToken =
  | 'malformed'
  | 'unknown_key'
  | 'forged'
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'not_yet_issued'
  | 'expired'

export interface Expectation {
  readonly keys: KeySet
  readonly issuer: string
  readonly audience: string
  readonly now: UnixSeconds
  readonly leewaySeconds?: number
}

export async function verifyToken(token: string, expected: Expectation): Promise<Verified> {
  const parts = readParts(token)
  if (parts === undefined) return invalid('malformed')
  const key = expected.keys.get(parts.kid)
  if (key === undefined) return invalid('unknown_key')
  if (parts.alg !== key.alg) return invalid('malformed')
  if (!(await isSignedBy(token, key))) return invalid('forged')
  const reason = contradiction(parts.claims, expected)
  return reason === undefined ? { ok: true, claims: parts.claims, kid: key.kid } : invalid(reason)
}

function invalid(reason: InvalidToken): Verified {
  return { ok: false, reason }
}

interface Parts {
  readonly alg: string
  readonly kid: string
  readonly claims: Claims
}

/** Nothing verified yet: the shape alone, which leaves one spelling for every token. */
function readParts(token: string): Parts | undefined {
  if (token.length > longestToken) return undefined
  const [header = '', payload = '', signature = '', more] = token.split('.')
  if (more !== undefined || decodeCanonical(signature)?.length !== 64) return undefined
  const head = parseHeader(textOf(header) ?? '')
  const claims = parseClaims(textOf(payload) ?? '')
  return head === undefined || claims === undefined ? undefined : { ...head, claims }
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

function parseHeader(text: string): { alg: string; kid: string } | undefined {
  const [, alg, kid] = /^\{"alg":"(\w+)","kid":"([\w-]{43})","typ":"at\+jwt"\}$/.exec(text) ?? []
  return alg === undefined || kid === undefined ? undefined : { alg, kid }
}

async function isSignedBy(token: string, { publicKey, alg }: VerifyingKey): Promise<boolean> {
  try {
    await compactVerify(token, publicKey, { algorithms: [alg] })
    return true
  } catch {
    return false
  }
}

function contradiction(claims: Claims, expected: Expectation): InvalidToken | undefined {
  const { issuer, audience, now, leewaySeconds = 30 } = expected
  if (claims.iss !== issuer) return 'wrong_issuer'
  if (claims.aud !== audience) return 'wrong_audience'
  if (claims.iat > now + leewaySeconds) return 'not_yet_issued'
  return claims.exp + leewaySeconds <= now ? 'expired' : undefined
}
