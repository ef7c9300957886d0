/** Patterns over ref names: byte for byte, `*` within a segment, `**` across segments. */

/** A pattern that does not begin with `refs/` speaks of branches. */
export function canonicalPattern(pattern: string): string {
  return pattern.startsWith('refs/') ? pattern : `refs/heads/${pattern}`
}

export function matchesRef(pattern: string, name: string): boolean {
  const canonical = canonicalPattern(pattern)
  const wildcard = canonical.indexOf('*')
  if (wildcard === -1) return canonical === name
  if (name.length > longestJudged || !name.startsWith(canonical.slice(0, wildcard))) return false
  return matchesWildcards(canonical.slice(wildcard), name.slice(wildcard))
}

/** A longer name cannot exist, so no pattern speaks of it. */
const longestJudged = 300

/** How much of the pattern stands before its first wildcard: the longer, the more specific. */
export function literalPrefixLength(pattern: string): number {
  const canonical = canonicalPattern(pattern)
  const wildcard = canonical.indexOf('*')
  return wildcard === -1 ? canonical.length : wildcard
}

/** At most this many wildcards, so that matching cannot be made slow. */
export const mostWildcards = 4

export function isRefPattern(pattern: string): boolean {
  if (pattern === '' || pattern.length > 255 || !pattern.isWellFormed()) return false
  if (/[\u0000-\u0020\u007f~^:?[\\]|\.\.|@\{|\*{3}/.test(pattern)) return false
  const canonical = canonicalPattern(pattern)
  return (
    !canonical.split('/').includes('') && (canonical.match(/\*+/g)?.length ?? 0) <= mostWildcards
  )
}

/** Follows every position that the pattern can be at, so that no pattern can make matching slow. */
function matchesWildcards(pattern: string, name: string): boolean {
  const parts = pattern.match(/\*\*|\*|[^*]/gu) ?? []
  let reached = new Uint8Array(parts.length + 1)
  reached[0] = 1
  skipWildcards(reached, parts)
  for (const character of name) reached = step(reached, parts, character)
  return reached[parts.length] === 1
}

function step(
  reached: Uint8Array<ArrayBuffer>,
  parts: readonly string[],
  character: string,
): Uint8Array<ArrayBuffer> {
  const next = new Uint8Array(reached.length)
  for (let at = 0; at < parts.length; at += 1) {
    if (reached[at] === 0) continue
    const part = parts[at]
    if (part === '**' || (part === '*' && character !== '/')) next[at] = 1
    else if (part === character) next[at + 1] = 1
  }
  skipWildcards(next, parts)
  return next
}

/** A wildcard may also stand for nothing. */
function skipWildcards(reached: Uint8Array<ArrayBuffer>, parts: readonly string[]): void {
  for (let at = 0; at < parts.length; at += 1) {
    if (reached[at] === 1 && parts[at]?.startsWith('*')) reached[at + 1] = 1
  }
}
