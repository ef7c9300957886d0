import type { ObjectHash } from '../objects/object-hash.ts'
import { type Pace, pace } from './pace.ts'
import { kindOf, type TreeEntry } from './parse-tree.ts'
import { type RawPath, rawParts, type TreePath } from './tree-path.ts'
import type { Folders } from './tree-reader.ts'

/** Reads each folder on the way once, however many paths lead through it. */
export async function findPaths(
  trees: Folders,
  tree: ObjectHash,
  paths: Iterable<TreePath>,
  signal?: AbortSignal,
): Promise<ReadonlyMap<TreePath, TreeEntry>> {
  const search: Search = { trees, found: new Map(), pace: pace(signal) }
  const wantedPaths: WantedPath[] = []
  for (const path of new Set(paths)) {
    const parts = rawParts(path)
    await search.pace(parts.length)
    wantedPaths.push({ path, parts })
  }
  if (wantedPaths.length > 0) await findBelow(search, { tree, depth: 0 }, wantedPaths)
  return search.found
}

interface Search {
  readonly trees: Folders
  readonly found: Map<TreePath, TreeEntry>
  readonly pace: Pace
}

interface WantedPath {
  readonly path: TreePath
  readonly parts: readonly RawPath[]
}

async function findBelow(
  search: Search,
  { tree, depth }: { readonly tree: ObjectHash; readonly depth: number },
  wantedPaths: readonly WantedPath[],
): Promise<void> {
  const folder = await search.trees.read(tree)
  const byName = new Map<RawPath | undefined, WantedPath[]>()
  for (const one of wantedPaths) {
    await search.pace()
    const name = one.parts[depth]
    const others = byName.get(name)
    if (others === undefined) byName.set(name, [one])
    else others.push(one)
  }
  for (const [name, group] of byName) {
    await search.pace()
    const entry = name && folder.get(name)
    if (!entry) continue
    const below: WantedPath[] = []
    for (const one of group) {
      if (one.parts.length > depth + 1) below.push(one)
      else search.found.set(one.path, entry)
    }
    if (below.length === 0 || kindOf(entry) !== 'folder') continue
    await findBelow(search, { tree: entry.hash, depth: depth + 1 }, below)
  }
}
