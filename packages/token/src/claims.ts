import {
  isId,
  isJournalNumber,
  type RepoType,
  repoTypes,
  type Scope,
  scopes,
  type UnixSeconds,
} from '@latchkey/protocol'

export interface Claims {
  readonly iss: string
  readonly aud: string
  readonly sub: string
  /** The id of the hub token that asked; never its secret. */
  readonly client_id: string
  readonly scope: Scope
  readonly repo: { readonly type: RepoType; readonly id: string; readonly uid: string }
  readonly ref: { readonly name: string; readonly uid: string }
  /** The commit that the revision named when the token was issued. */
  readonly commit: string
  /** How new the hub's view of its directory was when it decided: every entry up to this one counted. */
  readonly as_of: number
  readonly sees: readonly SeenRef[]
  readonly iat: number
  readonly exp: number
  readonly jti: string
}

/** Content of another ref that belongs to this revision: what has a stamp below `before`. */
export interface SeenRef {
  readonly uid: string
  readonly before: number
}

export const maxSeenRefs = 8

/** RFC 9068. */
export const tokenType = 'at+jwt'

/** A token of ours never lives for longer. */
export const maxLifeSeconds = 24 * 3600

/** How long after its `exp` a gate may still accept a token, at most. */
export const maxLeewaySeconds = 60

/** A token of ours never grows beyond this. */
export const maxTokenLength = 4096

/** The claims that differ between two tokens of one permit. */
export type MomentClaims = Pick<Claims, 'iat' | 'exp' | 'jti'>

export type LastingClaims = Omit<Claims, keyof MomentClaims>

/** The canonical JSON of a claim set: fixed members in a fixed order, nothing else. */
export function serialiseClaims(claims: Claims): string {
  const { iat, exp, jti } = claims
  return JSON.stringify({ ...lastingMembers(claims), iat, exp, jti })
}

/** The same without what differs between two tokens of one permit: the other members come first. */
export function serialiseLastingClaims(claims: LastingClaims): string {
  return JSON.stringify(lastingMembers(claims))
}

function lastingMembers(claims: LastingClaims) {
  const { iss, aud, sub, client_id, scope, repo, ref, commit, as_of, sees } = claims
  return {
    iss,
    aud,
    sub,
    client_id,
    scope,
    repo: { type: repo.type, id: repo.id, uid: repo.uid },
    ref: { name: ref.name, uid: ref.uid },
    commit,
    as_of,
    sees: sees.map(({ uid, before }) => ({ uid, before })),
  }
}

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
    scopes.some((one) => one === scope) &&
    isRecord(repo) &&
    repoTypes.some((one) => one === repo['type']) &&
    isText(repo['id']) &&
    isId(repo['uid']) &&
    isRecord(ref) &&
    isText(ref['name']) &&
    isId(ref['uid']) &&
    isJournalNumber(as_of) &&
    Array.isArray(sees) &&
    sees.length <= maxSeenRefs &&
    sees.every(
      (seenRef) => isRecord(seenRef) && isId(seenRef['uid']) && isJournalNumber(seenRef['before']),
    ) &&
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
