/** Adds lines to `.gitattributes`, so that git-lfs knows every file that was committed as a large one. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import type { FilePath } from '../words/file-path.ts'
import { quoted } from '../words/quoted.ts'
import { largeFileAttributes } from './first-attributes.ts'
import type { PathRules } from './path-rules.ts'

/** Git leaves out lines of this length. */
const tooLongLineBytes = 2048

/** The text as it is where nothing has to be added. */
export async function trackLargeFiles(
  text: string,
  paths: readonly FilePath[],
  rules: Pick<PathRules, 'filtersOf'>,
): Promise<string | Refusal> {
  const filters = await rules.filtersOf({ text, paths })
  if (isRefusal(filters)) return filters
  const missing = paths.filter((_, at) => filters[at] !== 'lfs')
  const lines = missing.map(lineFor)
  const unread = missing.find((_, at) => Buffer.byteLength(lines[at] ?? '') > tooLongLineBytes)
  if (unread !== undefined) {
    const why = 'is too long for a large file: git reads no such line of .gitattributes'
    return refuse('bad_request', `The path ${quoted(unread)} ${why}.`)
  }
  const gap = text === '' || text.endsWith('\n') || missing.length === 0 ? '' : '\n'
  return text + gap + lines.join('')
}

/** The slash in front makes it one file, and hides from git that the name may begin like a comment. */
function lineFor(path: FilePath): string {
  const pattern = path.replace(/[*?[]/g, '\\$&').replaceAll(' ', '[[:space:]]')
  return `/${pattern} ${largeFileAttributes}\n`
}
