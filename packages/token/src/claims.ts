/** What a storage token says, in the one order it says it. */

import {
  type AccountId,
  type HubTokenId,
  isId,
  type RefUid,
  type RepositoryUid,
  type RepoType,
  repoTypes,
  type Scope,
  scopes,
  type UnixSeconds,
} from '@latchkey/protocol'

export interface Claims {
  readonly iss: string
  readonly aud: string
  readonly sub: AccountId
  /** The id of the hub token that asked; never its secret. */
  readonly client_id: HubTokenId
  readonly scope: Scope
  readonly repo: { readonly type: RepoType; readonly id: string; readonly uid: RepositoryUid }
  readonly ref: { readonly name: string; readonly uid: RefUid }
  /** The commit that the revision named when the token was issued. */
  readonly commit: string
  readonly sees: readonly SeenRef[]
  readonly iat: UnixSeconds
  readonly exp: UnixSeconds
  readonly jti: string
}

/** Content of another ref that belongs to this revision, written at or before `until`. */
export interface SeenRef {
  readonly uid: RefUid
  readonly until: UnixSeconds
}

export const mostSeenRefs = 8

/** A token of ours never grows beyond this. */
export const longestToken = 4096

/** The canonical JSON of a claim set: fixed members in a fixed order, nothing else. */
export function serialiseClaims(claims: Claims): string {
  const { iss, aud, sub, client_id, scope, repo, ref, commit, sees, iat, exp, jti } = claims
  return JSON.stringify({
    iss,
    aud,
    sub,
    client_id,
    scope,
    repo: { type: repo.type, id: repo.id, uid: repo.uid },
    ref: { name: ref.name, uid: ref.uid },
    commit,
    sees: sees.map(({ uid, until }) => ({ uid, until })),
    iat,
    exp,
    jti,
  })
}

/** Reads a claim set; undefined unless the text is exactly what `serialiseClaims` writes. */
export function parseClaims(text: string): Claims | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  return isClaims(value) && serialiseClaims(value) === text ? value : undefined
}

function isClaims(value: unknown): value is Claims {
  if (!isRecord(value)) return false
  const { iss, aud, sub, client_id, scope, repo, ref, commit, sees, iat, exp, jti } = value
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
    Array.isArray(sees) &&
    sees.length <= mostSeenRefs &&
    sees.every((seen) => isRecord(seen) && isId(seen['uid']) && isMoment(seen['until'])) &&
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
