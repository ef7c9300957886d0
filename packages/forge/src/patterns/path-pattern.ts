/** One pattern of `.gitattributes` or `.gitignore`, and whether a path matches it. */

import { type Budget, compileGlob, matchesGlob, type Piece } from './glob.ts'

export interface PathPattern {
  readonly isNegative: boolean
  /** It had a slash at its end. */
  readonly isForFolders: boolean
  /** Without a slash it is compared with the last part of a path, at any depth. */
  readonly isForNames: boolean
  readonly literal: string
  /** What follows the literal. */
  readonly pieces: readonly Piece[]
}

/** Git compares bytes: each character of such a text is one. */
export function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** The pattern in bytes, as `bytesOf` gives them. */
export function parsePattern(text: string): PathPattern {
  const isNegative = text.startsWith('!')
  const given = isNegative ? text.slice(1) : text
  const isForFolders = given.endsWith('/')
  const whole = isForFolders ? given.slice(0, -1) : given
  const isForNames = !whole.includes('/')
  const body = whole.startsWith('/') ? whole.slice(1) : whole
  // Git compares the letters up to the first wildcard by themselves, so `a**` is `**` behind an `a`.
  const [literal = ''] = /^[^*?[\\]*/.exec(body) ?? []
  const pieces = compileGlob(body.slice(literal.length))
  return { isNegative, isForFolders, isForNames, literal, pieces }
}

/** The path in bytes, of a file, or of a folder without a slash behind it. */
export function matchesPattern(pattern: PathPattern, path: string, budget: Budget): boolean {
  budget.steps -= 1
  const start = pattern.isForNames ? path.lastIndexOf('/') + 1 : 0
  if (!path.startsWith(pattern.literal, start)) return false
  const rest = path.slice(start + pattern.literal.length)
  return pattern.pieces.length === 0 ? rest === '' : matchesGlob(pattern.pieces, rest, budget)
}
