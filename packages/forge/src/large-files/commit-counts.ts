/** How many commits are behind a commit, remembered: the number belongs to the hash. */

import type { CommitHash } from '@latchkey/protocol'
import { GrowingCache } from '@latchkey/service/limits/cache'
import { GitFailed } from '../git/index.ts'
import type { FilledRevision } from './open-revision.ts'

/** Undefined where the history is too long to be counted. */
export type CountCommits = (
  opened: Pick<FilledRevision, 'repository' | 'commit'>,
  signal: AbortSignal,
) => Promise<number | undefined>

const maxRemembered = 50_000
/** A history that was too long is not walked again. */
const tooMany = -1

export function commitCounts(): CountCommits {
  const cache = new GrowingCache<CommitHash, number>({ most: maxRemembered })
  return async ({ repository, commit }, signal) => {
    const found = cache.get(commit) ?? (await count({ repository, commit }, signal))
    cache.set(commit, found)
    return found === tooMany ? undefined : found
  }
}

async function count(
  { repository, commit }: Pick<FilledRevision, 'repository' | 'commit'>,
  signal: AbortSignal,
): Promise<number> {
  try {
    return (await repository.countCommits(commit, { signal })) ?? tooMany
  } catch (error) {
    if (error instanceof GitFailed && error.reason === 'deadline') return tooMany
    throw error
  }
}
