/** Wildcards as git's own matcher reads them, byte for byte, in steps that a pattern cannot multiply. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { classAt } from './glob-class.ts'

/** Shared by all patterns of one request. Below zero nothing matches any more, and the caller must refuse. */
export interface Budget {
  steps: number
}

/** A second or so, in parts. */
export function newBudget(): Budget {
  return { steps: 10_000_000 }
}

export const spent: Refusal = refuse(
  'bad_request',
  'The patterns of .gitattributes and .gitignore take too long for these paths. Use fewer wildcards, or send fewer files at once.',
)

export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  /** One byte. */
  | { readonly kind: 'one'; readonly has: (code: number) => boolean }
  | { readonly kind: 'star'; readonly crosses: boolean }
  /** Folders with their slashes, or none. */
  | { readonly kind: 'folders' }
  | { readonly kind: 'nothing' }

const slash = 0x2f

/** `*` and `?` stop at a slash, `**` between slashes does not. */
export function compileGlob(pattern: string): readonly Piece[] {
  const pieces: Piece[] = []
  let text = ''
  const add = (piece: Piece) => {
    if (text !== '') pieces.push({ kind: 'text', text })
    text = ''
    pieces.push(piece)
  }
  for (let at = 0; at < pattern.length; at += 1) {
    const letter = pattern[at]
    if (letter === '*') {
      const star = starAt(pattern, at)
      add(star.piece)
      at = star.end - 1
    } else if (letter === '?') {
      add({ kind: 'one', has: (code) => code !== slash })
    } else if (letter === '[') {
      const found = classAt(pattern, at)
      // Git gives up at a class that has no end or an unknown name.
      if (found === undefined) {
        add({ kind: 'nothing' })
        return pieces
      }
      add({ kind: 'one', has: (code) => code !== slash && found.has(code) })
      at = found.end - 1
    } else if (letter === '\\') {
      at += 1
      if (at === pattern.length) add({ kind: 'nothing' })
      else text += pattern[at]
    } else text += letter
  }
  if (text !== '') pieces.push({ kind: 'text', text })
  return pieces
}

function starAt(pattern: string, at: number): { readonly piece: Piece; readonly end: number } {
  let end = at
  while (pattern[end] === '*') end += 1
  const stars = end - at
  const follows = pattern.slice(end, end + 2)
  const isWhole =
    stars > 1 &&
    (at === 0 || pattern[at - 1] === '/') &&
    (follows === '' || follows.startsWith('/') || follows === '\\/')
  if (isWhole && follows.startsWith('/')) return { piece: { kind: 'folders' }, end: end + 1 }
  return { piece: { kind: 'star', crosses: isWhole }, end }
}

/** Follows every place that the text can be read up to. */
export function matchesGlob(pieces: readonly Piece[], text: string, budget: Budget): boolean {
  let ends: readonly number[] = [0]
  for (const piece of pieces) {
    ends = endsAfter(piece, text, ends)
    budget.steps -= costOf(piece) * (ends.length + 1)
    if (ends.length === 0 || budget.steps < 0) return false
  }
  return ends.at(-1) === text.length
}

function costOf(piece: Piece): number {
  return piece.kind === 'text' ? 1 + (piece.text.length >> 3) : 1
}

/** Where a piece can end, for the places where it can start; in order, each once. */
function endsAfter(piece: Piece, text: string, starts: readonly number[]): readonly number[] {
  switch (piece.kind) {
    case 'nothing':
      return []
    case 'text':
      return starts
        .filter((start) => text.startsWith(piece.text, start))
        .map((start) => start + piece.text.length)
    case 'one':
      return starts
        .filter((start) => start < text.length && piece.has(text.charCodeAt(start)))
        .map((start) => start + 1)
    case 'star':
      return starReaches(text, starts, piece.crosses)
    case 'folders':
      return folderReaches(text, starts)
  }
}

function starReaches(text: string, starts: readonly number[], crosses: boolean): number[] {
  const ends: number[] = []
  let at = 0
  for (const start of starts) {
    const slashAt = crosses ? -1 : text.indexOf('/', start)
    const last = slashAt === -1 ? text.length : slashAt
    for (at = Math.max(at, start); at <= last; at += 1) ends.push(at)
  }
  return ends
}

function folderReaches(text: string, starts: readonly number[]): number[] {
  const first = starts[0] ?? text.length
  const ends = new Set(starts)
  for (let at = text.indexOf('/', first); at !== -1; at = text.indexOf('/', at + 1))
    ends.add(at + 1)
  return [...ends].sort((one, other) => one - other)
}
