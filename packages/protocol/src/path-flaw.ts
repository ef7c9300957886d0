/**
 * Checks the path of a file: it must name one place below a folder, and none where git keeps its
 * own files.
 */

import { isLongerThan } from './revision.ts'

/** The longest path that Linux takes. */
const maxPathBytes = 4096
/** A download looks at each part on the disk. */
const maxParts = 100

/** Names that Windows alone keeps for itself, such as `CON` or `a:b`, are taken: elsewhere they are in daily use. */
type Rule = readonly [isBroken: (path: string) => boolean, flaw: string]

// biome-ignore format: a table is read by its columns
const rules: readonly Rule[] = [
  [(path) => path === '',                                     'is empty'],
  [(path) => isLongerThan(path, maxPathBytes),            `is longer than ${maxPathBytes} bytes`],
  [(path) => partsOf(path).length > maxParts,                `has more than ${maxParts} parts`],
  [(path) => !path.isWellFormed(),                            'is not valid Unicode'],
  [(path) => /\p{Cc}/u.test(path),                            'holds a control character'],
  [(path) => path.includes('\\'),                             'holds a backslash, which some systems read as /'],
  [(path) => /^[A-Za-z]:/.test(path),                         'begins with a drive letter'],
  [(path) => path.startsWith('/'),                            'is absolute'],
  [(path) => partsOf(path).includes(''),                      'has an empty part'],
  [(path) => partsOf(path).some((part) => /^\.\.?$/.test(part)), 'has . or .. as a part'],
  [(path) => partsOf(path).some(isGitName),                   'has a part that git takes for its own folder'],
]

/** Completes a sentence that begins with the path; undefined for a path that may stand in a manifest or a commit. */
export function pathFlaw(path: string): string | undefined {
  return rules.find(([isBroken]) => isBroken(path))?.[1]
}

export interface TreeFlaw {
  readonly path: string
  readonly flaw: string
}

/** Paths that cannot stand beside each other in one folder. None of them may have a flaw of its own. */
export function treeFlaw(paths: readonly string[]): TreeFlaw | undefined {
  // No path holds NUL, so what is in a folder comes right after the folder's own name.
  const sorted = paths.map((path) => path.replaceAll('/', '\0')).sort()
  for (const [index, key] of sorted.entries()) {
    const next = sorted[index + 1]
    const path = key.replaceAll('\0', '/')
    if (next === key) return { path, flaw: 'is there twice' }
    if (next?.startsWith(`${key}\0`)) return { path, flaw: 'is a file and a folder' }
  }
  return undefined
}

function partsOf(path: string): string[] {
  return path.split('/')
}

/** macOS leaves these characters out when it compares names. */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** The name without the characters that macOS leaves out. */
export function asMacReads(name: string): string {
  return name.replace(ignored, '')
}

/** As git itself refuses them in a commit: in any case, and as Windows and macOS read other names. */
export function isGitName(part: string): boolean {
  return /^(?:\.git|git~1)[. ]*(?::.*)?$/is.test(asMacReads(part))
}
