/** Adds lines to `.gitattributes`, so that git-lfs knows every file that was committed as a large one. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import type { FilePath } from '../names/file-path.ts'
import { quoted } from '../names/quoted.ts'
import { filterOf, parseAttributes, tooLongLineBytes } from '../patterns/attributes.ts'
import { pathByPath } from '../patterns/path-by-path.ts'
import { refuseLongPatterns } from '../patterns/pattern-lines.ts'
import { largeFileAttributes } from './first-attributes.ts'

/** The text as it is where nothing has to be added. */
export async function trackLargeFiles(
  text: string,
  paths: readonly FilePath[],
): Promise<string | Refusal> {
  const tooLong = refuseLongPatterns('.gitattributes', text)
  if (tooLong !== undefined) return tooLong
  const attributes = await parseAttributes(text)
  const filters = await pathByPath(paths, (path, budget) => filterOf(attributes, path, budget))
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
