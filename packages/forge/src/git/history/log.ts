import type { CommitHash } from '@latchkey/protocol'
import type { Commit } from '../objects/commit-text.ts'
import type { GitTools } from '../objects/git-tools.ts'
import { hashArgument, readHash } from '../objects/object-hash.ts'
import type { CallOptions } from '../process/git-commands.ts'
import { readCommit } from './read-commit.ts'

export interface LogRequest {
  readonly limit: number
  /** How many were on the pages before. */
  readonly skip?: number
  readonly signal?: AbortSignal | undefined
}

export async function log(
  { commands, objects }: GitTools,
  commit: CommitHash,
  { limit, skip = 0, signal }: LogRequest,
): Promise<readonly Commit[]> {
  const range = [`--max-count=${limit}`, `--skip=${skip}`]
  const args = ['rev-list', ...range, '--end-of-options', hashArgument(commit), '--']
  const output = (await commands.run(args, '', { signal })).toString('latin1')
  const commits: Commit[] = []
  for (const line of output.split('\n').filter(Boolean)) {
    const found = await readCommit(objects, readHash(line) as CommitHash)
    if (found !== undefined) commits.push(found)
  }
  return commits
}

/** Git walks half a million commits in about a second. */
const maxCounted = 1_000_000
const deadlineMs = 10_000

/** Undefined for a history that is longer than the bound. */
export async function countCommits(
  { commands }: GitTools,
  commit: CommitHash,
  { signal }: Pick<CallOptions, 'signal'> = {},
): Promise<number | undefined> {
  const bound = `--max-count=${maxCounted + 1}`
  const args = ['rev-list', '--count', bound, '--end-of-options', hashArgument(commit), '--']
  const output = await commands.run(args, '', { signal, deadlineMs, maxBytes: 64 })
  const count = Number(output.toString('latin1'))
  return Number.isSafeInteger(count) && count <= maxCounted ? count : undefined
}
