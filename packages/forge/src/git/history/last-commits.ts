/** The last commit that changed each of some paths, all found in one walk through the history. */

import type { CommitHash } from '@latchkey/protocol'
import type { Commit } from '../objects/commit-text.ts'
import { hashArgument, type ObjectHash, readHash } from '../objects/object-hash.ts'
import type { Objects } from '../objects/objects.ts'
import type { GitCommands } from '../process/git-commands.ts'
import { linesOf } from '../process/lines.ts'
import { rawParts, type TreePath } from '../trees/tree-path.ts'
import { type TreeReader, treeReader } from '../trees/tree-reader.ts'
import { readCommit } from './read-commit.ts'

/** They are arguments of one process. */
export const mostPaths = 1000

/** Paths that are not there are not in the answer. */
export async function lastCommits(
  { commands, objects }: { readonly commands: GitCommands; readonly objects: Objects },
  { commit, paths }: { readonly commit: CommitHash; readonly paths: readonly TreePath[] },
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<ReadonlyMap<TreePath, Commit>> {
  if (paths.length > mostPaths) throw new RangeError(`more than ${mostPaths} paths at once`)
  const search = searchFor(objects, paths)
  if (paths.length === 0) return search.found
  // git gives the commits that touch any of the paths, each with those of them that come before it.
  const args = ['rev-list', '--parents', '--end-of-options', hashArgument(commit), '--', ...paths]
  const git = await commands.start(args, { signal })
  git.stdin.end()
  for await (const line of linesOf(git.output())) {
    const [hash, ...parents] = line.split(' ').map((text) => readHash(text) as CommitHash)
    if (hash !== undefined) await search.add(hash, parents)
    if (search.isOver()) break
  }
  return search.found
}

/** Each path is followed down to the first commit none of whose parents has the same there. */
function searchFor(objects: Objects, paths: readonly TreePath[]) {
  const trees = treeReader(objects)
  const found = new Map<TreePath, Commit>()
  /** What git has told so far. */
  const parentsOf = new Map<CommitHash, readonly CommitHash[]>()
  /** The paths that have been followed to a commit. */
  const followed = new Map<CommitHash, TreePath[]>()
  let isFirst = true

  const follow = async (commit: CommitHash, parents: readonly CommitHash[]) => {
    const own = await readCommit(objects, commit)
    const before = await Promise.all(parents.map((parent) => readCommit(objects, parent)))
    for (const path of followed.get(commit) ?? []) {
      const value = await valueAt(trees, own?.tree, path)
      if (own === undefined || value === undefined) continue
      const values = await Promise.all(before.map((parent) => valueAt(trees, parent?.tree, path)))
      const same = parents[values.indexOf(value)]
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
      await followAll()
    },
  }
}

/** Mode and hash of what is there. */
async function valueAt(
  trees: TreeReader,
  tree: ObjectHash | undefined,
  path: TreePath,
): Promise<string | undefined> {
  const entry = tree && (await trees.find(tree, rawParts(path)))
  return entry && `${entry.mode} ${entry.hash}`
}
