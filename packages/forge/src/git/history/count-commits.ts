/** How many commits a history has. */

import type { CommitHash } from '@latchkey/protocol'
import type { GitTools } from '../objects/git-tools.ts'
import { hashArgument } from '../objects/object-hash.ts'
import type { CallOptions } from '../process/git-commands.ts'

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
  const said = await commands.run(args, '', { signal, deadlineMs, mostBytes: 64 })
  const count = Number(said.toString('latin1'))
  return Number.isSafeInteger(count) && count <= maxCounted ? count : undefined
}
