/** Reads what a storage token says; only the one text that writes a claim set is read. */

import { isId, isJournalNumber, repoTypes, scopes, type UnixSeconds } from '@latchkey/protocol'
import { type Claims, mostSeenRefs, serialiseClaims } from './claims.ts'

/** Undefined unless the text is exactly what `serialiseClaims` writes. */
export function parseClaims(text: string): Claims | undefined {
  const value = jsonIn(text)
  return isClaims(value) && serialiseClaims(value) === text ? value : undefined
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isClaims(value: unknown): value is Claims {
  if (!isRecord(value)) return false
  const { iss, aud, sub, client_id, scope, repo, ref, commit, as_of, sees, iat, exp, jti } = value
  return (
    [iss, aud, commit, jti].every(isText) &&
    [sub, client_id].every(isId) &&
    scopes.some((known) => known === scope) &&
    isRecord(repo) &&
    repoTypes.some((known) => known === repo['type']) &&
    isText(repo['id']) &&
    isId(repo['uid']) &&
    isRecord(ref) &&
    isText(ref['name']) &&
    isId(ref['uid']) &&
    isJournalNumber(as_of) &&
    Array.isArray(sees) &&
    sees.length <= mostSeenRefs &&
    sees.every((seen) => isRecord(seen) && isId(seen['uid']) && isJournalNumber(seen['before'])) &&
    isMoment(iat) &&
    isMoment(exp)
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isMoment(value: unknown): value is UnixSeconds {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
