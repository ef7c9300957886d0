/** What git keeps of every pull request that there ever was: its number, and the account that made it. */

import type { CommitHash, UnixSeconds } from '@latchkey/protocol'
import { GitFailed, type Repository, recordRef } from '../git/index.ts'
import type { HubPort } from '../hub-port.ts'

/** Undefined for a pull request that was not made here. */
export async function proposerOf(
  repository: Repository,
  number: number,
): Promise<string | undefined> {
  const record = (await repository.pullRequestRecords()).get(number)
  const commit = record && (await repository.readCommit(record))
  return commit?.author.name
}

export interface NewRecord {
  readonly accountId: string
  /** The commit that the pull request begins with. */
  readonly commit: CommitHash
  readonly at: UnixSeconds
}

/** To be called in the repository's turn. A number that was given is never given again, whatever fails afterwards. */
export async function recordNext(
  repository: Repository,
  known: Awaited<ReturnType<HubPort['refsOf']>>,
  { accountId, commit, at }: NewRecord,
): Promise<number> {
  const numbers = [
    ...(await repository.pullRequestRecords()).keys(),
    ...[...(known?.keys() ?? [])].map((ref) => Number(/^refs\/pr\/(\d+)$/.exec(ref)?.[1] ?? 0)),
  ]
  const number = numbers.reduce((most, one) => Math.max(most, one), 0) + 1
  const tree = await repository.treeOf(commit)
  if (tree === undefined) throw new Error('a pull request has no commit')
  const author = { name: accountId, email: '' }
  const record = await repository.writeCommit({
    ...{ tree, parents: [], author, committer: author, message: `pull request ${number}`, at },
  })
  const change = { ref: recordRef(number), old: undefined, new: record }
  const prepared = await repository.prepareRefs([change])
  if (!prepared.ok)
    throw new GitFailed('exit', `cannot record a pull request: ${prepared.conflict}`)
  await prepared.commit()
  return number
}
