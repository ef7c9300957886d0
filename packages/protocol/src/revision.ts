/** A revision as a client names it, and the full ref names behind it. */

import { isTokenAsName } from './token-shape.ts'

/** A full ref name that git would accept: `refs/heads/main`, `refs/tags/v1`, `refs/pr/1`. */
export type RefName = string & { readonly brand: 'ref-name' }

/** A full commit hash, 40 or 64 lower-case hex digits, not all of them zero. */
export type CommitHash = string & { readonly brand: 'commit-hash' }

/** In place of a commit hash: 40 zeros, as git writes an object that is missing. */
export type NoCommit = string & { readonly brand: 'no-commit' }

/** The value of a branch that has no commit yet. It is never on record and never a revision. */
export const noCommit = '0'.repeat(40) as NoCommit

export type Revision =
  | { readonly kind: 'commit'; readonly hash: CommitHash }
  | { readonly kind: 'ref'; readonly name: RefName }
  /** A bare name: the tag of that name, or the branch. */
  | { readonly kind: 'bare'; readonly branch: RefName; readonly tag: RefName }
  /** No ref can be called so; the text is kept because permission is judged by name. */
  | { readonly kind: 'impossible'; readonly text: string }

export type RefKind = 'branch' | 'tag' | 'other'

const maxNameLength = 255
const branches = 'refs/heads/'
const tags = 'refs/tags/'

/** Names that clients and git give a meaning of their own, so no ref may take them. */
const reservedNames = new Set(['HEAD', '@', 'None'])

export function parseRevision(text: string): Revision {
  const hash = parseCommitHash(text)
  if (hash !== undefined) return { kind: 'commit', hash }
  if (text.startsWith('refs/')) {
    const name = parseRefName(text)
    return name === undefined ? { kind: 'impossible', text } : { kind: 'ref', name }
  }
  const branch = parseRefName(branches + text)
  if (branch === undefined) return { kind: 'impossible', text }
  // Branches and tags may have the same names.
  return { kind: 'bare', branch, tag: (tags + text) as RefName }
}

/** A revision as people write it; one text for one revision. */
export function formatRevision(revision: Revision): string {
  switch (revision.kind) {
    case 'commit':
      return revision.hash
    case 'ref':
      return revision.name
    case 'bare':
      return shortRefName(revision.branch)
    case 'impossible':
      return revision.text
  }
}

export function parseCommitHash(text: string): CommitHash | undefined {
  return looksLikeHash(text) && !isZeros(text) ? (text.toLowerCase() as CommitHash) : undefined
}

/** The same where there may be none, which is written as 40 or 64 zeros. */
export function parseCommitOrNone(text: string): CommitHash | NoCommit | undefined {
  return looksLikeHash(text) && isZeros(text) ? noCommit : parseCommitHash(text)
}

function looksLikeHash(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(text)
}

function isZeros(text: string): boolean {
  return /^0+$/.test(text)
}

/** Reads a full name; the only place that makes a `RefName`. */
export function parseRefName(text: string): RefName | undefined {
  const kind = refKindOf(text)
  const own = kind === 'branch' ? text.slice(11) : kind === 'tag' ? text.slice(10) : text
  if (isLongerThan(own, maxNameLength) || !gitAccepts(text) || isTokenAsName(own)) return undefined
  if (kind === 'other') return /^refs\/[^/]+\/./.test(text) ? (text as RefName) : undefined
  const misleads = reservedNames.has(own) || own.startsWith('refs/') || looksLikeHash(own)
  return misleads || own.startsWith('-') ? undefined : (text as RefName)
}

export function refKind(name: RefName): RefKind {
  return refKindOf(name)
}

/** `main` for `refs/heads/main`; other refs have no shorter name. */
export function shortRefName(name: string): string {
  return name.startsWith(branches) ? name.slice(branches.length) : name
}

export function branchName(short: string): RefName | undefined {
  return parseRefName(branches + short)
}

export function tagName(short: string): RefName | undefined {
  return parseRefName(tags + short)
}

/** Where accounts upload what they will propose. No revision names such a ref. */
export const uploadFolder = 'refs/latchkey/upload/'

function refKindOf(name: string): RefKind {
  return name.startsWith(branches) ? 'branch' : name.startsWith(tags) ? 'tag' : 'other'
}

/** git-check-ref-format: no odd characters, no empty part, none that begins with a dot or ends in `.lock`. */
const gitRefuses = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\.$|(?:^|\/)(?:\.|\/|$)|\.lock(?:\/|$)/

function gitAccepts(name: string): boolean {
  return !gitRefuses.test(name) && name.isWellFormed()
}

const utf8 = new TextEncoder()

export function isLongerThan(text: string, bytes: number): boolean {
  // No character takes more than three bytes for each of its UTF-16 units.
  return text.length * 3 > bytes && utf8.encode(text).length > bytes
}

export const repoTypes = ['model', 'dataset', 'space'] as const

export type RepoType = (typeof repoTypes)[number]

export interface RepoRef {
  readonly type: RepoType
  readonly namespace: string
  readonly name: string
}

/** The words of namespaces, repositories and accounts. */
export function isName(text: string): boolean {
  if (!/^[A-Za-z0-9._-]{1,96}$/.test(text) || /^[.-]|[.-]$|\.git$/i.test(text)) return false
  return !isTokenAsName(text)
}

export function repoRef(type: RepoType, namespace: string, name: string): RepoRef | undefined {
  return isName(namespace) && isName(name) ? { type, namespace, name } : undefined
}

/**
 * Reads `models/acme/bert`.
 *
 * @example
 * ```ts
 * parseRepoRef('models/acme/bert') // { type: 'models', namespace: 'acme', name: 'bert' }
 * parseRepoRef('models/bert') // undefined
 * ```
 */
export function parseRepoRef(text: string): RepoRef | undefined {
  const [, type, namespace, name] = /^(model|dataset|space)s\/([^/]+)\/([^/]+)$/.exec(text) ?? []
  if (type === undefined || namespace === undefined || name === undefined) return undefined
  return repoRef(type as RepoType, namespace, name)
}

export function formatRepoRef({ type, namespace, name }: RepoRef): string {
  return `${type}s/${namespace}/${name}`
}

/** The `namespace/name` that the protocol calls the repository id. */
export function repoId({ namespace, name }: RepoRef): string {
  return `${namespace}/${name}`
}
