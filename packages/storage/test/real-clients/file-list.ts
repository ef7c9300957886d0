/** Which files each commit of a repository has: all that a hub keeps in git, as small as tests need it. */

import { createHash } from 'node:crypto'

/** A file of the storage, or one that is small enough for git. */
export type ListedFile =
  | {
      readonly kind: 'stored'
      readonly hash: string
      readonly sha256: string
      readonly size: number
    }
  | { readonly kind: 'inline'; readonly content: Buffer }

export type Tree = ReadonlyMap<string, ListedFile>

export interface FileList {
  /** The commit that a branch, a full ref name or a commit hash means here. */
  commitOf(revision: string): string | undefined
  treeOf(commit: string | undefined): Tree
  /** A new commit that `ref` points to: what `base` has, with these files. */
  commit(ref: string, base: string, files: Tree): string
  nextPullRequest(): number
}

export function fileList(repository: string): FileList {
  const heads = new Map<string, string>()
  const trees = new Map<string, Tree>()
  let pullRequests = 0
  const commitOf = (revision: string) => (trees.has(revision) ? revision : heads.get(revision))
  const treeOf = (commit = '') => trees.get(commit) ?? new Map()
  return {
    ...{ commitOf, treeOf },
    commit(ref, base, files) {
      const commit = createHash('sha1').update(`${repository} ${ref} ${trees.size}`).digest('hex')
      trees.set(commit, new Map([...treeOf(commitOf(base)), ...files]))
      heads.set(ref, commit)
      return commit
    },
    nextPullRequest() {
      pullRequests += 1
      return pullRequests
    },
  }
}
