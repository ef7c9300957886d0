/** Which paths `.gitattributes` and `.gitignore` name: git says so itself, within bounds. */

import { isLongerThan, type Refusal, refuse } from '@latchkey/protocol'
import { type Git, GitFailed, type MatchRequest } from '../git/index.ts'

export interface PathRules {
  /** The value of `filter` of each path, or `unspecified`. */
  filtersOf(request: MatchRequest): Promise<readonly string[] | Refusal>
  /** Whether each path is left out. */
  ignoredOf(request: MatchRequest): Promise<readonly boolean[] | Refusal>
}

const longestTextBytes = 1024 * 1024

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
  if (isLongerThan(text, longestTextBytes)) {
    return refuse('bad_request', `${file} is longer than ${longestTextBytes} bytes. Use wildcards.`)
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
