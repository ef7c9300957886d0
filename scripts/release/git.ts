/** What the release asks of git. */

import { execFileSync } from 'node:child_process'
import { type Commit, readCommit } from './conventional-commit.ts'
import { isGreater, isVersion, type Version } from './version.ts'

export function git(root: string, ...words: string[]): string {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28, stdio: 'pipe' } as const
  // Looking changes nothing, not even the index.
  return execFileSync('git', ['--no-optional-locks', ...words], options).trim()
}

export function branchOf(root: string): string {
  return git(root, 'rev-parse', '--abbrev-ref', 'HEAD')
}

/** Files that are changed or unknown. */
export function changedFiles(root: string): readonly string[] {
  const lines = git(root, 'status', '--porcelain', '--untracked-files=normal')
  return lines.split('\n').filter((line) => line !== '')
}

export function headOf(root: string): string {
  return git(root, 'rev-parse', 'HEAD')
}

/** What all files of the last commit together are named by. */
export function treeOf(root: string): string {
  return git(root, 'rev-parse', 'HEAD^{tree}')
}

/** The greatest version that a tag of this history has. */
export function lastVersion(root: string): Version | undefined {
  const tags = git(root, 'tag', '--list', 'v*', '--merged', 'HEAD').split('\n')
  const versions = tags.map((tag) => tag.slice(1)).filter(isVersion)
  return versions.reduce<Version | undefined>(
    (last, version) => (last === undefined || isGreater(version, last) ? version : last),
    undefined,
  )
}

export function hasTag(root: string, version: Version): boolean {
  return git(root, 'tag', '--list', `v${version}`) !== ''
}

/** Newest first. Merges say nothing that their commits do not say. */
export function commitsSince(root: string, version: Version | undefined): readonly Commit[] {
  const range = version === undefined ? 'HEAD' : `v${version}..HEAD`
  const log = git(root, 'log', '-z', '--no-merges', '--format=%H%n%B', range)
  const entries = log.split('\0').filter((entry) => entry !== '')
  return entries.map((entry) => {
    const [hash = '', ...message] = entry.split('\n')
    return readCommit(hash, message.join('\n'))
  })
}

/** What was written into `files` becomes the release, or is taken back. */
export function commitAndTag(root: string, version: Version, files: readonly string[]): boolean {
  const head = headOf(root)
  try {
    git(root, 'commit', '--quiet', '--message', `chore(release): ${version}`, '--', ...files)
    git(root, 'tag', '--annotate', `v${version}`, '--message', `Latchkey ${version}`)
    return true
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    git(root, 'reset', '--quiet', '--soft', head)
    git(root, 'restore', '--staged', '--worktree', '--', ...files)
    return false
  }
}
