/** Looks at repositories without changing anything, for an operator. */

import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { RepositoryUid } from '@latchkey/protocol'
import { shares } from '@latchkey/service/limits/shares'
import { repositoryFolder, uidsIn } from './folders.ts'
import { findGit } from './process/find-git.ts'
import { type CallOptions, type GitCommands, gitCommands } from './process/git-commands.ts'
import { GitFailed } from './process/git-errors.ts'

export { findGit }

export interface InspectedRepositories {
  readonly uids: readonly RepositoryUid[]
  /** Leftovers of a killed process; the next start removes them. */
  readonly unfinished: number
}

/** Undefined where there is no such folder. */
export async function inspectRepositories(
  folder: string,
): Promise<InspectedRepositories | undefined> {
  try {
    const names = await readdir(folder)
    const unfinished = names.filter((name) => name.endsWith('.part')).length
    return { uids: await uidsIn(folder), unfinished }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

export type Damage = 'none' | 'not known' | { readonly found: string }

/** Whether every object that a ref leads to is there. Not known if it takes too long to say. */
export async function findDamage(
  { program, folder }: { readonly program: string; readonly folder: string },
  uid: RepositoryUid,
  deadlineMs: number,
): Promise<Damage> {
  const place = repositoryFolder(resolve(folder), uid)
  const slots = { work: shares({ max: 1 }), serving: shares({ max: 1 }) }
  const account = () => 'operator'
  const commands = gitCommands({ program, folder: place, account, slots, wrote: () => {} })
  const args = ['fsck', '--connectivity-only', '--no-dangling', '--no-progress']
  try {
    await commands.run(args, '', { deadlineMs })
    return 'none'
  } catch (error) {
    if (!(error instanceof GitFailed) || error.reason !== 'exit') return 'not known'
    const [first = error.message] = error.stderr.split('\n')
    return { found: `${join(folder, `${uid}.git`)}: ${first}` }
  }
}

const deadlineMs = 3_600_000
const maxBytes = 1024 * 1024

/** The complaints of git, line by line; empty if the repository is sound. */
export async function fsck(
  commands: GitCommands,
  { signal }: Pick<CallOptions, 'signal'> = {},
): Promise<readonly string[]> {
  const args = ['fsck', '--full', '--no-dangling', '--no-progress']
  try {
    const output = await commands.run(args, '', { deadlineMs, maxBytes, signal })
    return linesIn(output.toString('utf8'))
  } catch (error) {
    if (!(error instanceof GitFailed) || error.reason !== 'exit') throw error
    return [error.message, ...linesIn(error.stderr)]
  }
}

function linesIn(text: string): readonly string[] {
  return text.split('\n').filter(Boolean)
}
