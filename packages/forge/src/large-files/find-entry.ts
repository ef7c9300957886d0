import type { ListedEntry, ObjectHash, Repository } from '../git/index.ts'
import { parseTreePath } from '../git/index.ts'

export interface FoundEntry extends ListedEntry {
  /** In git: that of the pointer for a large file, 0 for a folder. */
  readonly size: number
}

/** Undefined where there is none, or none can have this path. */
export async function findEntry(
  repository: Repository,
  tree: ObjectHash,
  text: string,
): Promise<FoundEntry | undefined> {
  const path = parseTreePath(text)
  const entry = path && (await repository.findEntries(tree, [path])).get(path)
  if (entry === undefined) return undefined
  if (entry.kind !== 'file' && entry.kind !== 'symlink') return { ...entry, size: 0 }
  const [info] = await repository.infoOf([entry.hash])
  return { ...entry, size: info?.size ?? 0 }
}
