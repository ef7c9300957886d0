/** Which paths `.gitattributes` and `.gitignore` name: git says so itself, within bounds. */

import { isLongerThan, isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { type Git, GitFailed, type MatchRequest } from '../git/index.ts'
import type { FilePath } from '../words/file-path.ts'
import { quoted } from '../words/quoted.ts'
import { largeFileAttributes } from './first-attributes.ts'

export interface PathRules {
  /** The value of `filter` of each path, or `unspecified`. */
  filtersOf(request: MatchRequest): Promise<readonly string[] | Refusal>
  /** Whether each path is left out. */
  ignoredOf(request: MatchRequest): Promise<readonly boolean[] | Refusal>
}

const maxTextBytes = 1024 * 1024

export function pathRules(git: Pick<Git, 'filtersOf' | 'ignoredOf'>): PathRules {
  return {
    filtersOf: (request) => bounded('.gitattributes', request, () => git.filtersOf(request)),
    ignoredOf: (request) => bounded('.gitignore', request, () => git.ignoredOf(request)),
  }
}

async function bounded<Result>(
  file: string,
  { text }: MatchRequest,
  match: () => Promise<Result>,
): Promise<Result | Refusal> {
  if (isLongerThan(text, maxTextBytes)) {
    return refuse('bad_request', `${file} is longer than ${maxTextBytes} bytes. Use wildcards.`)
  }
  try {
    return await match()
  } catch (error) {
    const isOfText = error instanceof GitFailed && ['cpu', 'crash'].includes(error.reason)
    if (isOfText) return tooCostly(file)
    throw error
  }
}

function tooCostly(file: string): Refusal {
  const detail = `The patterns of ${file} take too long for these paths. Use fewer lines and wildcards, or send fewer files at once.`
  return refuse('bad_request', detail)
}

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
