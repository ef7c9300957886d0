/** Finds the commits of a history that the caller may read by themselves: the others came through a ref that is hidden from it. */

import type { CallerQuestions, PermittedRevision } from '@latchkey/admin-api/forge-port'
import { type CommitHash, isRefusal } from '@latchkey/protocol'
import { slicePauses } from '@latchkey/service/limits/slices'

/** Security boundary. A hub token with rights on some of the refs costs a decision for each commit. */
export async function readableCommits(
  hub: Pick<CallerQuestions, 'decide'>,
  { repo, readsEveryRef }: Pick<PermittedRevision, 'repo' | 'readsEveryRef'>,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const commits = new Set(hashes)
  if (readsEveryRef) return commits
  const readable = new Set<string>()
  const pause = slicePauses()
  for (const hash of commits) {
    const revision = { kind: 'commit', hash: hash as CommitHash } as const
    if (!isRefusal(await hub.decide({ repo, revision, scope: 'read' }))) readable.add(hash)
    await pause()
  }
  return readable
}
