/** The commits behind a commit, the newest first. */

import type { CommitHash } from '@latchkey/protocol'
import type { Commit } from '../objects/commit-text.ts'
import { hashArgument, readHash } from '../objects/object-hash.ts'
import type { Objects } from '../objects/objects.ts'
import type { GitCommands } from '../process/git-commands.ts'
import { readCommit } from './read-commit.ts'

export interface LogRequest {
  readonly limit: number
  /** How many were on the pages before. */
  readonly skip?: number
  readonly signal?: AbortSignal | undefined
}

export async function log(
  { commands, objects }: { readonly commands: GitCommands; readonly objects: Objects },
  commit: CommitHash,
  { limit, skip = 0, signal }: LogRequest,
): Promise<readonly Commit[]> {
  const range = [`--max-count=${limit}`, `--skip=${skip}`]
  const args = ['rev-list', ...range, '--end-of-options', hashArgument(commit), '--']
  const said = (await commands.run(args, '', { signal })).toString('latin1')
  const commits: Commit[] = []
  for (const line of said.split('\n').filter(Boolean)) {
    const found = await readCommit(objects, readHash(line) as CommitHash)
    if (found !== undefined) commits.push(found)
  }
  return commits
}
