/** Applies edits to a folder, in their order, and stores the folders that they touch; all of them or none. */

import { OpenBytes } from '../../words/open-bytes.ts'
import type { GitTools } from '../objects/git-tools.ts'
import { hashArgument, type ObjectHash } from '../objects/object-hash.ts'
import { expectKinds } from '../objects/objects.ts'
import { writeObject } from '../objects/write-object.ts'
import type { GitCommands } from '../process/git-commands.ts'
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
import { type Pace, pace } from './pace.ts'
import { folderMode, keyOf, kindOf, type TreeEntry } from './parse-tree.ts'
import { bytesOf, type RawPath, rawParts, type TreePath } from './tree-path.ts'
import { type Folders, type FolderTools, type ReadLimits, treeReader } from './tree-reader.ts'

/** Without a base the edits begin with nothing. */
export async function changeTree(
  { commands, objects, folders }: GitTools & Pick<FolderTools, 'folders'>,
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
  await expectAdded(objects, edits)
  return { ok: true, tree: await store(top, { commands, pace: keepPace }) }
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

const objectKind = { folder: 'tree', file: 'blob', symlink: 'blob' } as const

/** All other entries are in the base. */
async function expectAdded(objects: GitTools['objects'], edits: readonly Edit[]): Promise<void> {
  const added = new Map<ObjectHash, 'tree' | 'blob'>()
  for (const edit of edits) {
    if (edit.kind !== 'add') continue
    const kind = kindOf(edit)
    if (kind !== 'submodule') added.set(edit.hash, objectKind[kind])
  }
  await expectKinds(objects, added)
}

interface Storing {
  readonly commands: GitCommands
  readonly pace: Pace
}

/** From the bottom up. */
async function store(draft: Draft, storing: Storing): Promise<ObjectHash> {
  const changed: TreeEntry[] = []
  for (const [name, item] of draft.changes) {
    if (item === undefined) continue
    if (!isDraft(item)) changed.push(item)
    else changed.push({ name, mode: folderMode, hash: item.stored ?? (await store(item, storing)) })
  }
  return writeObject(storing.commands, 'tree', await contentOf(draft, changed, storing.pace))
}

/** In git's order. */
async function contentOf(
  { folder, changes }: Draft,
  changed: readonly TreeEntry[],
  pace: Pace,
): Promise<Buffer> {
  const content = new OpenBytes()
  const left = changed.toSorted(inOrder).values()
  let next = left.next()
  const add = ({ mode, name, hash }: TreeEntry) => {
    content.append(bytesOf(`${mode} ${name}\0`))
    content.append(Buffer.from(hash, 'hex'))
    return pace()
  }
  for (const entry of folder?.entries() ?? []) {
    if (changes.has(entry.name)) continue
    for (; !next.done && inOrder(next.value, entry) < 0; next = left.next()) await add(next.value)
    await add(entry)
  }
  for (; !next.done; next = left.next()) await add(next.value)
  return content.take()
}

function inOrder(one: TreeEntry, other: TreeEntry): number {
  const [key, otherKey] = [keyOf(one), keyOf(other)]
  return key < otherKey ? -1 : Number(key > otherKey)
}
