/** A revision as a client names it, and the full ref names behind it. */

/** A full ref name that git would accept: `refs/heads/main`, `refs/tags/v1`, `refs/pr/1`. */
export type RefName = string & { readonly brand: 'ref-name' }

/** A full commit hash, 40 or 64 lower-case hex digits. */
export type CommitHash = string & { readonly brand: 'commit-hash' }

export type Revision =
  | { readonly kind: 'commit'; readonly hash: CommitHash }
  | { readonly kind: 'ref'; readonly name: RefName }
  /** A bare name: the tag of that name, or the branch. */
  | { readonly kind: 'bare'; readonly branch: RefName; readonly tag: RefName }
  /** No ref can be called so; the text is kept because permission is judged by name. */
  | { readonly kind: 'impossible'; readonly text: string }

export type RefKind = 'branch' | 'tag' | 'other'

const longestName = 255
const branches = 'refs/heads/'
const tags = 'refs/tags/'

/** Names that clients and git give a meaning of their own, so no ref may take them. */
const taken = new Set(['HEAD', '@', 'None'])

export function parseRevision(text: string): Revision {
  const hash = parseCommitHash(text)
  if (hash !== undefined) return { kind: 'commit', hash }
  if (text.startsWith('refs/')) {
    const name = parseRefName(text)
    return name === undefined ? { kind: 'impossible', text } : { kind: 'ref', name }
  }
  const branch = parseRefName(branches + text)
  const tag = parseRefName(tags + text)
  if (branch === undefined || tag === undefined) return { kind: 'impossible', text }
  return { kind: 'bare', branch, tag }
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
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(text)
    ? (text.toLowerCase() as CommitHash)
    : undefined
}

/** Reads a full name; the only place that makes a `RefName`. */
export function parseRefName(text: string): RefName | undefined {
  const kind = refKindOf(text)
  const own = kind === 'branch' ? text.slice(11) : kind === 'tag' ? text.slice(10) : text
  if (byteLength(own) > longestName || !gitAccepts(text)) return undefined
  if (kind === 'other') return /^refs\/[^/]+\/./.test(text) ? (text as RefName) : undefined
  const misleads = taken.has(own) || own.startsWith('refs/') || parseCommitHash(own) !== undefined
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

function refKindOf(name: string): RefKind {
  return name.startsWith(branches) ? 'branch' : name.startsWith(tags) ? 'tag' : 'other'
}

/** git-check-ref-format, rules 1 to 10. */
function gitAccepts(name: string): boolean {
  if (!name.isWellFormed() || /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\.$/.test(name)) return false
  return name
    .split('/')
    .every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))
}

const utf8 = new TextEncoder()

function byteLength(text: string): number {
  return text.length > longestName ? text.length : utf8.encode(text).length
}
