/** Patterns over ref names: byte for byte, `*` within a segment, `**` across segments. */

/** A pattern that does not begin with `refs/` speaks of branches. */
export function canonicalPattern(pattern: string): string {
  return pattern.startsWith('refs/') ? pattern : `refs/heads/${pattern}`
}

export function matchesRef(pattern: string, name: string): boolean {
  const canonical = canonicalPattern(pattern)
  const wildcard = canonical.indexOf('*')
  if (wildcard === -1) return canonical === name
  if (name.length > maxCheckedLength || !name.startsWith(canonical.slice(0, wildcard))) return false
  return matchesWildcards(canonical.slice(wildcard), name.slice(wildcard))
}

/** A longer name cannot exist, so no pattern speaks of it. */
const maxCheckedLength = 300

/** How much of the pattern stands before its first wildcard: the longer, the more specific. */
export function literalPrefixLength(pattern: string): number {
  const canonical = canonicalPattern(pattern)
  const wildcard = canonical.indexOf('*')
  return wildcard === -1 ? canonical.length : wildcard
}

/** At most this many wildcards, so that matching cannot be made slow. */
export const maxWildcards = 4

export function isRefPattern(pattern: string): boolean {
  if (pattern === '' || pattern.length > 255 || !pattern.isWellFormed()) return false
  if (/[\u0000-\u0020\u007f~^:?[\\]|\.\.|@\{|\*{3}/.test(pattern)) return false
  const canonical = canonicalPattern(pattern)
  return (
    !canonical.split('/').includes('') && (canonical.match(/\*+/g)?.length ?? 0) <= maxWildcards
  )
}

/** Follows every place that the name can be read up to, so that no pattern can make matching slow. */
function matchesWildcards(pattern: string, name: string): boolean {
  let ends: readonly number[] = [0]
  for (const piece of pattern.match(/\*\*?[^*]*/g) ?? []) ends = endsOf(piece, name, ends)
  return ends.at(-1) === name.length
}

/** Where a wildcard and the literal behind it can end, for the places where they can start; in order. */
function endsOf(piece: string, name: string, starts: readonly number[]): readonly number[] {
  const crosses = piece.startsWith('**')
  const literal = piece.slice(crosses ? 2 : 1)
  const ends: number[] = []
  let at = 0
  for (const start of starts) {
    const slash = crosses ? -1 : name.indexOf('/', start)
    const last = slash === -1 ? name.length : slash
    for (at = Math.max(at, start); at <= last; at += 1) {
      if (name.startsWith(literal, at)) ends.push(at + literal.length)
    }
  }
  return ends
}
