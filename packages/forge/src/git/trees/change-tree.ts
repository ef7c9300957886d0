/** Applies edits to a folder, in their order, and stores the folders that they touch; all of them or none. */

import { nextSlice } from '@latchkey/service/limits/slices'
import type { GitTools } from '../objects/git-tools.ts'
import { hashArgument, type ObjectHash, readHash } from '../objects/object-hash.ts'
import type { CallOptions, GitCommands } from '../process/git-commands.ts'
import { linesOf } from '../process/lines.ts'
import {
  type Draft,
  draftsTo,
  emptyDraft,
  isDraft,
  isFolder,
  itemIn,
  openDraft,
  setItem,
} from './draft.ts'
import type { ChangedTree, Edit, EditRefusal } from './edit.ts'
import { findPaths } from './find-paths.ts'
import { pace } from './pace.ts'
import { folderMode, kindOf, type TreeEntry } from './parse-tree.ts'
import { bytesOf, type RawPath, rawParts, type TreePath } from './tree-path.ts'
import { type Folders, type FolderTools, type ReadLimits, treeReader } from './tree-reader.ts'

/** The objects that the entries name must exist. */
type WriteTree = (entries: Iterable<TreeEntry>) => Promise<ObjectHash>

/** Other requests have their turn between them. */
const entriesAtOnce = 2000

async function writeTrees<Result>(
  commands: GitCommands,
  work: (write: WriteTree) => Promise<Result>,
  { signal }: Pick<CallOptions, 'signal'> = {},
): Promise<Result> {
  const git = await commands.start(['mktree', '-z', '--batch'], { signal })
  const hashes = linesOf(git.output())
  try {
    const result = await work(async (entries) => {
      let lines: string[] = []
      for (const entry of entries) {
        lines.push(formatEntry(entry))
        if (lines.length < entriesAtOnce) continue
        git.stdin.write(bytesOf(lines.join('')))
        lines = []
        signal?.throwIfAborted()
        await nextSlice()
      }
      git.stdin.write(bytesOf(`${lines.join('')}\0`))
      const { value } = await hashes.next()
      const hash = readHash(value ?? '')
      commands.wrote(hash)
      return hash
    })
    git.stdin.end()
    await hashes.next()
    return result
  } finally {
    await hashes.return()
  }
}

const objectKind = { folder: 'tree', file: 'blob', symlink: 'blob', submodule: 'commit' } as const

/** git sorts them. */
function formatEntry(entry: TreeEntry): string {
  return `${entry.mode} ${objectKind[kindOf(entry)]} ${entry.hash}\t${entry.name}\0`
}

/** Without a base the edits begin with nothing. */
export async function changeTree(
  { commands, folders }: Pick<GitTools, 'commands'> & Pick<FolderTools, 'folders'>,
  { base, edits }: { readonly base: ObjectHash | undefined; readonly edits: readonly Edit[] },
  limits: ReadLimits = {},
): Promise<ChangedTree> {
  const { signal } = limits
  const trees = treeReader(folders, limits)
  const copied = edits.values().flatMap((edit) => (edit.kind === 'copy' ? [edit.from] : []))
  const sources = base && (await findPaths(trees, base, copied, signal))
  const top = base === undefined ? emptyDraft() : await openDraft(trees, base)
  const keepPace = pace(signal)
  for (const edit of edits) {
    await keepPace(stepsOf(edit))
    const refusal = await apply(edit, { trees, top, sources })
    if (refusal !== undefined) return { ok: false, edit, refusal }
  }
  if (top.stored !== undefined) return { ok: true, tree: top.stored }
  return { ok: true, tree: await writeTrees(commands, (write) => store(top, write), { signal }) }
}

/** At least one for each folder on the way. */
function stepsOf({ path }: Edit): number {
  return 4 + path.length / 2
}

interface Editing {
  readonly trees: Folders
  readonly top: Draft
  /** The files to copy, as they were before all edits. */
  readonly sources: ReadonlyMap<TreePath, TreeEntry> | undefined
}

async function apply(edit: Edit, editing: Editing): Promise<EditRefusal | undefined> {
  switch (edit.kind) {
    case 'add':
      hashArgument(edit.hash)
      return put(edit.path, edit, editing)
    case 'copy': {
      const entry = editing.sources?.get(edit.from)
      return entry === undefined || isFolder(entry) ? 'missing' : put(edit.path, entry, editing)
    }
    case 'delete':
      return remove(edit, editing)
    case 'delete-folder':
      return remove(edit, editing)
  }
}

async function put(
  path: Edit['path'],
  { mode, hash }: Pick<TreeEntry, 'mode' | 'hash'>,
  { trees, top }: Editing,
): Promise<EditRefusal | undefined> {
  const { folders, name } = split(path)
  const drafts = await draftsTo(trees, top, { folders, make: true })
  if (typeof drafts === 'string') return drafts
  const draft = drafts.at(-1) ?? top
  const there = itemIn(draft, name)
  if (there !== undefined && isFolder(there)) return 'folder-in-the-way'
  setItem(draft, name, { name, mode, hash })
  touch(drafts)
  return undefined
}

async function remove(
  { kind, path }: Extract<Edit, { readonly kind: 'delete' | 'delete-folder' }>,
  { trees, top }: Editing,
): Promise<EditRefusal | undefined> {
  const { folders, name } = split(path)
  const drafts = await draftsTo(trees, top, { folders, make: false })
  if (typeof drafts === 'string') return 'missing'
  const draft = drafts.at(-1) ?? top
  const there = itemIn(draft, name)
  if (there === undefined || isFolder(there) !== (kind === 'delete-folder')) return 'missing'
  setItem(draft, name, undefined)
  touch(drafts)
  removeEmpty(drafts, folders)
  return undefined
}

/** git has no empty folders. */
function removeEmpty(drafts: readonly Draft[], folders: readonly RawPath[]): void {
  for (const [at, name] of [...folders.entries()].reverse()) {
    const draft = drafts[at]
    if (draft !== undefined && drafts[at + 1]?.count === 0) setItem(draft, name, undefined)
  }
}

function split(path: Edit['path']) {
  const parts = rawParts(path)
  return { folders: parts.slice(0, -1), name: parts.at(-1) ?? ('' as RawPath) }
}

function touch(drafts: readonly Draft[]): void {
  for (const draft of drafts) draft.stored = undefined
}

/** From the bottom up. */
async function store(draft: Draft, write: WriteTree): Promise<ObjectHash> {
  const changed: TreeEntry[] = []
  for (const [name, item] of draft.changes) {
    if (item === undefined) continue
    if (!isDraft(item)) changed.push(item)
    else changed.push({ name, mode: folderMode, hash: item.stored ?? (await store(item, write)) })
  }
  return write(entriesOf(draft, changed))
}

function* entriesOf({ folder, changes }: Draft, changed: readonly TreeEntry[]) {
  for (const entry of folder?.entries() ?? []) if (!changes.has(entry.name)) yield entry
  yield* changed
}
