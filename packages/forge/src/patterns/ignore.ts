/** A `.gitignore` of the root folder: which paths it leaves out. */

import type { Budget } from './glob.ts'
import { bytesOf, matchesPattern, type PathPattern, parsePattern } from './path-pattern.ts'
import { readLines } from './pattern-lines.ts'

export type Ignore = readonly PathPattern[]

export function parseIgnore(text: string): Promise<Ignore> {
  return readLines(text, (line) =>
    line === '' || line.startsWith('#') ? [] : [parsePattern(withoutSpaces(line))],
  )
}

/** What is below an ignored folder is ignored, and cannot be taken back by a later pattern. */
export function isIgnored(ignore: Ignore, path: string, budget: Budget): boolean {
  const bytes = bytesOf(path)
  for (let end = bytes.indexOf('/'); end !== -1; end = bytes.indexOf('/', end + 1)) {
    if (decide(ignore, bytes.slice(0, end), true, budget)) return true
    if (budget.steps < 0) return false
  }
  return decide(ignore, bytes, false, budget)
}

/** The last pattern that matches decides. */
function decide(ignore: Ignore, path: string, isFolder: boolean, budget: Budget): boolean {
  const last = ignore.findLast(
    (pattern) =>
      budget.steps < 0 ||
      ((isFolder || !pattern.isForFolders) && matchesPattern(pattern, path, budget)),
  )
  return budget.steps >= 0 && last !== undefined && !last.isNegative
}

/** Spaces at the end count only behind a backslash. */
function withoutSpaces(line: string): string {
  let kept = 0
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1
    else if (line[at] === ' ') continue
    kept = at + 1
  }
  return line.slice(0, kept)
}
