/** Which objects of a repository a client of git may name: the same for fetches and pushes. */

import { type CommitHash, isRefusal, type RepoRef } from '@latchkey/protocol'
import { slicePauses } from '@latchkey/service/limits/slices'
import type { IsOffered, ObjectHash, Repository } from '../git/index.ts'
import type { Exchange } from '../handler/exchange.ts'
import { BodyUnreadable } from '../http/bodies.ts'

/**
 * Commits that no ref points to. A client that fetches after a ref has moved requests one, and a
 * shallow clone of many branches names one for each that has moved.
 */
const maxCommits = 1000

/** Security boundary: what refs point to, and commits that the API shows to this caller. Git alone would give all that it has. */
export function offeredTo(
  { hub }: Pick<Exchange, 'hub'>,
  repo: RepoRef | undefined,
  targets: () => Promise<ReadonlySet<ObjectHash>>,
): IsOffered {
  let pointedTo: Promise<ReadonlySet<ObjectHash>> | undefined
  const commits = new Map<ObjectHash, boolean>()
  const pause = slicePauses()
  return async (hash) => {
    pointedTo ??= targets()
    if ((await pointedTo).has(hash)) return true
    const isKnown = commits.get(hash)
    if (isKnown !== undefined) return isKnown
    // To leave one out would be wrong: git would take a shallow clone for a whole one.
    if (commits.size >= maxCommits) throw new BodyUnreadable(tooManyCommits)
    await pause()
    const revision = { kind: 'commit', hash: hash as CommitHash } as const
    const isShown = !isRefusal(await hub.decide({ repo, revision, scope: 'read' }))
    commits.set(hash, isShown)
    return isShown
  }
}

const tooManyCommits = `The request names more than ${maxCommits} commits that no ref points to. Clone again.`

export async function targetsOf({
  targets: list,
}: Pick<Repository, 'targets'>): Promise<ReadonlySet<ObjectHash>> {
  const targets = await list()
  return new Set(targets.values().flatMap(({ object, peeled }) => [object, peeled]))
}
