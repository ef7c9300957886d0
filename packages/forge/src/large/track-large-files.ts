/** Adds lines to `.gitattributes`, so that git-lfs knows every file that was committed as a large one. */

import { type Refusal, refuse } from '@latchkey/protocol'
import type { FilePath } from '../names/file-path.ts'
import { quoted } from '../names/quoted.ts'
import { filterOf, parseAttributes, tooLongLineBytes } from '../patterns/attributes.ts'
import { type Budget, spent } from '../patterns/glob.ts'
import { largeFileAttributes } from './first-attributes.ts'

/** The text as it is where nothing has to be added. */
export function trackLargeFiles(
  text: string,
  paths: readonly FilePath[],
  budget: Budget,
): string | Refusal {
  const attributes = parseAttributes(text)
  const missing = paths.filter((path) => filterOf(attributes, path, budget) !== 'lfs')
  if (budget.steps < 0) return spent
  const lines = missing.map(lineFor)
  const tooLong = missing.find((_, at) => Buffer.byteLength(lines[at] ?? '') > tooLongLineBytes)
  if (tooLong !== undefined) {
    const why = 'is too long for a large file: git reads no such line of .gitattributes'
    return refuse('bad_request', `The path ${quoted(tooLong)} ${why}.`)
  }
  const gap = text === '' || text.endsWith('\n') || missing.length === 0 ? '' : '\n'
  return text + gap + lines.join('')
}

/** The slash in front makes it one file, and hides from git that the name may begin like a comment. */
function lineFor(path: FilePath): string {
  const pattern = path.replace(/[*?[]/g, '\\$&').replaceAll(' ', '[[:space:]]')
  return `/${pattern} ${largeFileAttributes}\n`
}
