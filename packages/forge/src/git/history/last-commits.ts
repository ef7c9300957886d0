/** The last commit that changed each of some paths, all found in one walk through the history. */

import type { CommitHash } from '@latchkey/protocol'
import type { Commit } from '../objects/commit-text.ts'
import type { GitTools } from '../objects/git-tools.ts'
import { hashArgument, type ObjectHash, readHash } from '../objects/object-hash.ts'
import { GitFailed } from '../process/git-errors.ts'
import { linesOf } from '../process/lines.ts'
import { findPaths } from '../trees/find-paths.ts'
import type { TreePath } from '../trees/tree-path.ts'
import { type FolderTools, treeReader } from '../trees/tree-reader.ts'
import { readCommit } from './read-commit.ts'

/** Paths are arguments of a process; more of them take another walk. */
const maxArgumentBytes = 500_000
/** Bounds the folders of all commits on the way together. */
const maxReadBytes = 256 * 1024 * 1024

interface PathsAt {
  readonly commit: CommitHash
  readonly paths: readonly TreePath[]
}

/** Paths that are not there are not in the answer, nor those whose commit lies behind too many large folders. */
export async function lastCommits(
  tools: GitTools & FolderTools,
  { commit, paths }: PathsAt,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<ReadonlyMap<TreePath, Commit>> {
  const found = new Map<TreePath, Commit>()
  for (const group of groupsOf(paths)) {
    const walked = await walkFor(tools, { commit, paths: group }, signal)
    for (const [path, last] of walked) found.set(path, last)
  }
  return found
}

function groupsOf(paths: readonly TreePath[]): readonly TreePath[][] {
  const groups: TreePath[][] = []
  let bytes = maxArgumentBytes
  for (const path of paths) {
    bytes += Buffer.byteLength(path) + 1
    if (bytes > maxArgumentBytes) {
      groups.push([])
      bytes = 0
    }
    groups.at(-1)?.push(path)
  }
  return groups
}

async function walkFor(
  tools: GitTools & FolderTools,
  { commit, paths }: PathsAt,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<TreePath, Commit>> {
  const search = searchFor(tools, paths, signal)
  // git gives the commits that touch any of the paths, each with those of them that come before it.
  const args = ['rev-list', '--parents', '--end-of-options', hashArgument(commit), '--', ...paths]
  const git = await tools.commands.start(args, { signal })
  git.stdin.end()
  for await (const line of linesOf(git.output())) {
    const [hash, ...parents] = line.split(' ').map((text) => readHash(text) as CommitHash)
    const isTooMuch = hash !== undefined && (await search.add(hash, parents)) === 'too-large'
    if (isTooMuch || search.isOver()) break
  }
  return search.found
}

/** Each path is followed down to the first commit none of whose parents has the same there. */
function searchFor(
  { objects, folders }: GitTools & FolderTools,
  paths: readonly TreePath[],
  signal: AbortSignal | undefined,
) {
  const trees = treeReader(folders, { signal, maxReadBytes })
  const found = new Map<TreePath, Commit>()
  /** Parents that git has listed so far. */
  const parentsOf = new Map<CommitHash, readonly CommitHash[]>()
  /** The paths that have been followed to a commit. */
  const followed = new Map<CommitHash, TreePath[]>()
  let isFirst = true

  /** Mode and hash of what is at a path. */
  const valuesIn = async (tree: ObjectHash | undefined, paths: readonly TreePath[]) => {
    const entries = tree && (await findPaths(trees, tree, paths, signal))
    return (path: TreePath) => {
      const entry = entries?.get(path)
      return entry && `${entry.mode} ${entry.hash}`
    }
  }
  const follow = async (commit: CommitHash, parents: readonly CommitHash[]) => {
    const own = await readCommit(objects, commit)
    const paths = followed.get(commit) ?? []
    const valueNow = await valuesIn(own?.tree, paths)
    const before = []
    for (const parent of parents) {
      before.push(await valuesIn((await readCommit(objects, parent))?.tree, paths))
    }
    for (const path of paths) {
      const value = valueNow(path)
      if (own === undefined || value === undefined) continue
      const same = parents[before.findIndex((valueThen) => valueThen(path) === value)]
      if (same === undefined) found.set(path, own)
      else followed.set(same, [...(followed.get(same) ?? []), path])
    }
    followed.delete(commit)
  }
  /** A clock that was wrong makes git tell of a parent before its child. */
  const followAll = async () => {
    for (;;) {
      const next = followed.keys().find((commit) => parentsOf.has(commit))
      if (next === undefined) return
      await follow(next, parentsOf.get(next) ?? [])
    }
  }

  return {
    found,
    isOver: () => followed.size === 0,
    async add(commit: CommitHash, parents: readonly CommitHash[]) {
      // All history that touches the paths is behind the first commit that git tells of.
      if (isFirst) followed.set(commit, [...paths])
      isFirst = false
      parentsOf.set(commit, parents)
      try {
        return await followAll()
      } catch (error) {
        if (error instanceof GitFailed && error.reason === 'too-large') return error.reason
        throw error
      }
    },
  }
}
