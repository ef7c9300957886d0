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
  let reached = new Set([0])
  for (const character of name) {
    reached = new Set(
      [...skipWildcards(reached, parts)].flatMap((at) => step(parts, at, character)),
    )
    if (reached.size === 0) return false
  }
  return skipWildcards(reached, parts).has(parts.length)
}

function step(parts: readonly string[], at: number, character: string): readonly number[] {
  const part = parts[at]
  if (part === '**' || (part === '*' && character !== '/')) return [at]
  return part === character ? [at + 1] : []
}

/** A wildcard may also stand for nothing. */
function skipWildcards(reached: Set<number>, parts: readonly string[]): Set<number> {
  for (const at of reached) if (parts[at]?.startsWith('*')) reached.add(at + 1)
  return reached
}
