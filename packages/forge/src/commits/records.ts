/**
 * Reads and writes git's record of every pull request: its number, the account that opened it, and
 * its target.
 */

import type { CallerPort } from '@latchkey/admin-api/forge-port'
import type { CommitHash, UnixSeconds } from '@latchkey/protocol'
import { GitFailed, type Repository, recordRef } from '../git/index.ts'
import { membersOf } from '../words/members.ts'

export interface PullRequest {
  readonly accountId: string
  /** The name of the account, as it was then. */
  readonly account: string
  readonly title: string
  /** The full name of the ref that it is to change, or a commit. */
  readonly base: string
  readonly at: UnixSeconds
}

/** Undefined for a pull request that was not made here. */
export async function findPullRequest(
  repository: Repository,
  number: number,
): Promise<PullRequest | undefined> {
  const record = (await repository.pullRequestRecords()).get(number)
  const commit = record && (await repository.readCommit(record))
  if (commit === undefined) return undefined
  const { author, committer, message } = commit
  const { title, base } = membersOf(JSON.parse(message)) ?? {}
  return {
    ...{ accountId: author.name, account: committer.name, at: author.at },
    ...{ title: String(title), base: String(base) },
  }
}

export interface NewPullRequest extends PullRequest {
  /** The commit that it begins with. */
  readonly commit: CommitHash
}

/** To be called in the repository's turn, until the number is recorded. */
export async function nextNumber(
  repository: Repository,
  refs: Awaited<ReturnType<CallerPort['refsOf']>>,
): Promise<number> {
  const numbers = [
    ...(await repository.pullRequestRecords()).keys(),
    ...[...(refs?.keys() ?? [])].map((ref) => Number(/^refs\/pr\/(\d+)$/.exec(ref)?.[1] ?? 0)),
  ]
  return numbers.reduce((most, one) => Math.max(most, one), 0) + 1
}

/** To be called before the ref is made: a number that a ref had is never given again. */
export async function recordPullRequest(
  repository: Repository,
  number: number,
  { accountId, account, title, base, commit, at }: NewPullRequest,
): Promise<void> {
  const tree = await repository.treeOf(commit)
  if (tree === undefined) throw new Error('a pull request has no commit')
  const record = await repository.writeCommit({
    ...{ tree, parents: [], at, message: JSON.stringify({ title, base }) },
    author: { name: accountId, email: '' },
    committer: { name: account, email: '' },
  })
  const change = { ref: recordRef(number), old: undefined, new: record }
  const prepared = await repository.prepareRefs([change])
  if (!prepared.ok)
    throw new GitFailed('exit', `cannot record a pull request: ${prepared.conflict}`)
  await prepared.commit()
}
