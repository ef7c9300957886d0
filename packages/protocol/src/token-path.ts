/** The path of the token request, read from the raw request target and written back. */

import {
  formatRepoRef,
  parseRevision,
  type RepoRef,
  type RepoType,
  type Revision,
  repoRef,
} from './revision.ts'
import type { Scope } from './scope-rules.ts'
import type { UnixSeconds } from './time.ts'

/** The word in the token segment: ours, or the one that Hugging Face clients build themselves. */
export type TokenWord = 'storage' | 'xet'

export interface TokenPath {
  readonly word: TokenWord
  /** Undefined when no repository can have this name. */
  readonly repo: RepoRef | undefined
  readonly scope: Scope
  readonly revision: Revision
}

const shape =
  /^\/api\/(model|dataset|space)s\/([^/]+)\/([^/]+)\/(storage|xet)-(read|write)-token\/(.+)$/

/** Reads a raw request target; undefined when it names no token route or cannot be decoded. */
export function parseTokenPath(target: string): TokenPath | undefined {
  const [, type, namespace, name, word, scope, revision] = shape.exec(pathOf(target)) ?? []
  if (namespace === undefined || name === undefined || revision === undefined) return undefined
  const names = [decodeOnce(namespace), decodeOnce(name), decodeOnce(revision)] as const
  if (names[0] === undefined || names[1] === undefined || names[2] === undefined) return undefined
  return {
    word: word as TokenWord,
    repo: repoRef(type as RepoType, names[0], names[1]),
    scope: scope as Scope,
    revision: parseRevision(names[2]),
  }
}

/**
 * The path of a token request.
 *
 * @example
 * ```ts
 * const repo = parseRepoRef('models/acme/bert')
 * if (repo !== undefined) formatTokenPath(repo, 'read', 'refs/pr/1')
 * // '/api/models/acme/bert/storage-read-token/refs%2Fpr%2F1'
 * ```
 */
export function formatTokenPath(
  repo: RepoRef,
  scope: Scope,
  revision: string,
  word: TokenWord = 'storage',
): string {
  return `/api/${formatRepoRef(repo)}/${word}-${scope}-token/${encodeURIComponent(revision)}`
}

/** The path of a request target: without the query, and without the authority of the absolute form. */
export function pathOf(target: string): string {
  const query = target.indexOf('?')
  const path = query === -1 ? target : target.slice(0, query)
  return path.startsWith('/') ? path : path.replace(/^https?:\/\/[^/]*/i, '')
}

/** Undefined where the text is not printable ASCII, or what it encodes is no UTF-8. */
export function decodeOnce(segment: string): string | undefined {
  if (!/^[\u0021-\u007e]*$/.test(segment)) return undefined
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

export interface TokenResponse {
  readonly accessToken: string
  readonly exp: UnixSeconds
  readonly casUrl: string
}

/** spec: Limits. What every reader accepts. */
export const maxAccessTokenLength = 64_000
export const maxCasUrlLength = 64_000

/** spec: Limits. How long before `exp` a client should ask again. */
export const refreshBufferSeconds = 30
