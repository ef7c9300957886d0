import { nextSlice } from '@latchkey/service/limits/slices'
import { GitFailed, type ListedEntry, type ObjectHash, type Repository } from '../git/index.ts'
import { pointerAt } from '../large-files/describe-files.ts'
import type { Pointer } from '../words/pointer.ts'

/** Each content once, and none without bytes: that one is always there. */
export type LargeFilesIn = (tree: ObjectHash) => Promise<readonly Pointer[]>

/** The entries of a folder itself. */
interface Folder {
  readonly pointers: readonly Pointer[]
  readonly folders: readonly ObjectHash[]
}

/** Other requests have their turn between them. */
const entriesAtOnce = 1000
const maxDepth = 512
/** Beyond it all is forgotten, and read again: some hundred MiB at most. */
const maxRemembered = 1_000_000

/** Every folder and every blob is read once, however many trees have it. An aborted signal ends the reading. */
export function largeFilesOf(repository: Repository, signal?: AbortSignal): LargeFilesIn {
  const blobs = new Map<ObjectHash, Pointer | undefined>()
  const folders = new Map<ObjectHash, Folder>()
  const without = new Set<ObjectHash>()
  let remembered = 0

  const pointersOf = async (hashes: readonly ObjectHash[]): Promise<readonly Pointer[]> => {
    if (blobs.size > maxRemembered) blobs.clear()
    const unread = [...new Set(hashes)].filter((hash) => !blobs.has(hash))
    const infos = unread.length === 0 ? [] : await repository.infoOf(unread)
    for (const [at, hash] of unread.entries()) {
      blobs.set(hash, await pointerAt(repository, hash, infos[at]?.size ?? 0))
    }
    return hashes.map((hash) => blobs.get(hash)).filter(hasBytes)
  }
  const read = async (tree: ObjectHash): Promise<Folder> => {
    const pointers: Pointer[] = []
    const below: ObjectHash[] = []
    for await (const entries of pagesOf(repository, tree, signal)) {
      for (const pointer of await pointersOf(hashesOf(entries, 'file'))) pointers.push(pointer)
      for (const hash of hashesOf(entries, 'folder')) below.push(hash)
    }
    remembered += 1 + pointers.length + below.length
    if (remembered > maxRemembered) {
      folders.clear()
      without.clear()
      remembered = 0
    }
    const folder = { pointers, folders: below }
    folders.set(tree, folder)
    return folder
  }
  return async (top) => {
    const found = new Map<string, Pointer>()
    const visitedTrees = new Set<ObjectHash>()
    /** Whether there is a large file in it or below. */
    const collect = async (tree: ObjectHash, depth: number): Promise<boolean> => {
      if (without.has(tree)) return false
      if (visitedTrees.has(tree)) return true
      if (depth > maxDepth) {
        throw new GitFailed('too-large', `has more than ${maxDepth} folders in each other here`)
      }
      visitedTrees.add(tree)
      const { pointers, folders: below } = folders.get(tree) ?? (await read(tree))
      for (const pointer of pointers) found.set(pointer.oid, pointer)
      let isFound = pointers.length > 0
      for (const folder of below) isFound = (await collect(folder, depth + 1)) || isFound
      if (!isFound) without.add(tree)
      return isFound
    }
    await collect(top, 1)
    return [...found.values()]
  }
}

async function* pagesOf(
  repository: Repository,
  tree: ObjectHash,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly ListedEntry[]> {
  let after: string | undefined
  do {
    signal?.throwIfAborted()
    const page = await repository.listTree(tree, { after, limit: entriesAtOnce })
    yield page?.entries ?? []
    if (page?.next !== undefined) await nextSlice()
    after = page?.next
  } while (after !== undefined)
}

function hashesOf(
  entries: readonly ListedEntry[],
  entryKind: ListedEntry['kind'],
): readonly ObjectHash[] {
  return entries.filter(({ kind }) => kind === entryKind).map(({ hash }) => hash)
}

function hasBytes(pointer: Pointer | undefined): pointer is Pointer {
  return pointer !== undefined && pointer.sizeBytes > 0
}
