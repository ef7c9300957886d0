/** Finds files and folders by their paths. */

import type { ObjectHash } from '../objects/object-hash.ts'
import type { Objects } from '../objects/objects.ts'
import type { ListedEntry } from './list-tree.ts'
import { kindOf } from './parse-tree.ts'
import { rawParts, type TreePath } from './tree-path.ts'
import { treeReader } from './tree-reader.ts'

/** Only the paths that lead to something are in the answer. */
export async function findEntries(
  objects: Objects,
  tree: ObjectHash,
  paths: readonly TreePath[],
): Promise<ReadonlyMap<TreePath, ListedEntry>> {
  const trees = treeReader(objects)
  const found = new Map<TreePath, ListedEntry>()
  // Those in the same folder come together, so that a folder is read once.
  for (const path of paths.toSorted()) {
    const entry = await trees.find(tree, rawParts(path))
    if (entry === undefined) continue
    found.set(path, { path, kind: kindOf(entry), mode: entry.mode, hash: entry.hash })
  }
  return found
}
