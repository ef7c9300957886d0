/** Patterns over ref names: byte for byte, `*` within a segment, `**` across segments. */

/** A pattern that does not begin with `refs/` speaks of branches. */
export function canonicalPattern(pattern: string): string {
  return pattern.startsWith('refs/') ? pattern : `refs/heads/${pattern}`
}

export function matchesRef(pattern: string, name: string): boolean {
  return matchesFrom(canonicalPattern(pattern), 0, name, 0)
}

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

function matchesFrom(pattern: string, at: number, name: string, from: number): boolean {
  const star = pattern.indexOf('*', at)
  if (star === -1) return pattern.slice(at) === name.slice(from)
  const literal = pattern.slice(at, star)
  if (!name.startsWith(literal, from)) return false
  const crosses = pattern.startsWith('**', star)
  const rest = star + (crosses ? 2 : 1)
  for (let end = from + literal.length; end <= name.length; end += 1) {
    if (matchesFrom(pattern, rest, name, end)) return true
    if (!crosses && name.charAt(end) === '/') return false
  }
  return false
}
