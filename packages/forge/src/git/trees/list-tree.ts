/** Lists a folder, or all that is below it, page by page: a page costs what it shows, however much lies before it. */

import type { ObjectHash } from '../objects/object-hash.ts'
import { GitFailed } from '../process/git-errors.ts'
import { findPaths } from './find-paths.ts'
import { pace } from './pace.ts'
import { type EntryKind, type Folder, keyOf, kindOf, type TreeEntry } from './parse-tree.ts'
import { bytesOf, type RawPath, rawPath, shownPath, type TreePath } from './tree-path.ts'
import { type Folders, type FolderTools, treeReader } from './tree-reader.ts'

export interface ListedEntry {
  /** From the top of the repository. */
  readonly path: string
  readonly kind: EntryKind
  readonly mode: string
  readonly hash: ObjectHash
}

export interface ListRequest {
  /** The top if there is none. */
  readonly path?: TreePath | undefined
  readonly recursive?: boolean
  /** The `next` of the page before. */
  readonly after?: string | undefined
  readonly limit: number
}

export interface TreePage {
  readonly entries: readonly ListedEntry[]
  /** Undefined on the last page. */
  readonly next: string | undefined
}

/** Undefined if the path is no folder. */
export async function listTree(
  { folders, signal }: FolderTools,
  tree: ObjectHash,
  { path, recursive = false, after, limit }: ListRequest,
): Promise<TreePage | undefined> {
  const trees = treeReader(folders, { signal })
  const top = path === undefined ? { hash: tree } : await folderAt(trees, tree, path)
  if (top === undefined) return undefined
  const prefix = path === undefined ? '' : `${rawPath(path)}/`
  const begin = { trees, recursive, after: parseCursor(after) }
  const entries: ListedEntry[] = []
  let last = ''
  const keepPace = pace(signal)
  for await (const { entry, key } of walk(top.hash, prefix, begin)) {
    if (entries.length === limit) return { entries, next: formatCursor(last) }
    await keepPace()
    entries.push(listed(entry, key))
    last = key
  }
  return { entries, next: undefined }
}

async function folderAt(
  trees: Folders,
  tree: ObjectHash,
  path: TreePath,
): Promise<TreeEntry | undefined> {
  const entry = (await findPaths(trees, tree, [path])).get(path)
  return entry !== undefined && kindOf(entry) === 'folder' ? entry : undefined
}

function listed(entry: TreeEntry, key: string): ListedEntry {
  const path = shownPath(key.replace(/\/$/, '') as RawPath)
  return { path, kind: kindOf(entry), mode: entry.mode, hash: entry.hash }
}

interface Walk {
  readonly trees: Folders
  readonly recursive: boolean
  readonly after: string
}

interface Step {
  readonly entry: TreeEntry
  /** The raw path, with a slash behind a folder's: the walk is in the order of these. */
  readonly key: string
}

/** A pushed repository may have folders so deep that their paths alone fill the memory. */
const maxDepth = 512

async function* walk(tree: ObjectHash, prefix: string, begin: Walk): AsyncGenerator<Step> {
  const stack = [await stepsIn(tree, prefix, begin)]
  for (let steps = stack.at(-1); steps !== undefined; steps = stack.at(-1)) {
    const { value: step } = steps.next()
    if (step === undefined) {
      stack.pop()
      continue
    }
    if (step.key > begin.after) yield step
    if (!begin.recursive || kindOf(step.entry) !== 'folder') continue
    if (stack.length === maxDepth) {
      throw new GitFailed('too-large', `lists at most ${maxDepth} folders in each other here`)
    }
    stack.push(await stepsIn(step.entry.hash, step.key, begin))
  }
}

/** The entries of a folder, without those that lie wholly before the place to begin after. */
async function stepsIn(
  tree: ObjectHash,
  prefix: string,
  { trees, after }: Walk,
): Promise<Iterator<Step, undefined>> {
  const folder = await trees.read(tree)
  return folder
    .entries(placeIn(folder, prefix, after))
    .map((entry) => ({ entry, key: prefix + keyOf(entry) }))
}

/** The place to begin after lies in the folder, behind all of it, or before all of it. */
function placeIn(folder: Folder, prefix: string, after: string): number {
  if (after.startsWith(prefix)) return folder.placeOf(after.slice(prefix.length))
  return after > prefix ? folder.count : 0
}

function formatCursor(key: string): string {
  return bytesOf(key).toString('base64url')
}

/** Any text is a place to begin after. */
function parseCursor(text = ''): string {
  return Buffer.from(text, 'base64url').toString('latin1')
}
