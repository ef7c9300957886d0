/** Finds files and folders by their paths. */

import type { ObjectHash } from '../objects/object-hash.ts'
import { findPaths } from './find-paths.ts'
import type { ListedEntry } from './list-tree.ts'
import { kindOf } from './parse-tree.ts'
import type { TreePath } from './tree-path.ts'
import { type FolderTools, treeReader } from './tree-reader.ts'

/** Only the paths that lead to something are in the answer. */
export async function findEntries(
  { folders, signal }: FolderTools,
  tree: ObjectHash,
  paths: readonly TreePath[],
): Promise<ReadonlyMap<TreePath, ListedEntry>> {
  const entries = await findPaths(treeReader(folders, { signal }), tree, paths, signal)
  const found = new Map<TreePath, ListedEntry>()
  for (const path of paths.toSorted()) {
    const entry = entries.get(path)
    if (entry === undefined) continue
    found.set(path, { path, kind: kindOf(entry), mode: entry.mode, hash: entry.hash })
  }
  return found
}
