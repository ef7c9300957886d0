/** Looks for damage in a repository. */

import type { CallOptions, GitCommands } from './process/git-commands.ts'
import { GitFailed } from './process/git-errors.ts'

const deadlineMs = 3_600_000
const mostBytes = 1024 * 1024

/** What git complains about, line by line; empty if all is well. */
export async function fsck(
  commands: GitCommands,
  { signal }: Pick<CallOptions, 'signal'> = {},
): Promise<readonly string[]> {
  const args = ['fsck', '--full', '--no-dangling', '--no-progress']
  try {
    const said = await commands.run(args, '', { deadlineMs, mostBytes, signal })
    return linesIn(said.toString('utf8'))
  } catch (error) {
    if (!(error instanceof GitFailed) || error.reason !== 'exit') throw error
    return [error.message, ...linesIn(error.stderr)]
  }
}

function linesIn(text: string): readonly string[] {
  return text.split('\n').filter(Boolean)
}
