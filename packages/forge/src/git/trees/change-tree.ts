/** Applies edits to a folder, in their order, and stores the folders that they touch; all of them or none. */

import { setImmediate } from 'node:timers/promises'
import type { GitTools } from '../objects/git-tools.ts'
import { hashArgument, type ObjectHash } from '../objects/object-hash.ts'
import type { CallOptions } from '../process/git-commands.ts'
import { type Draft, draftsTo, emptyDraft, isDraft, isFolder, openDraft } from './draft.ts'
import type { Changed, Edit, EditRefusal } from './edit.ts'
import { folderMode, type TreeEntry } from './parse-tree.ts'
import { type RawPath, rawParts } from './tree-path.ts'
import { type TreeReader, treeReader } from './tree-reader.ts'
import { type WriteTree, writeTrees } from './write-trees.ts'

/** Without a base the edits begin with nothing. */
export async function changeTree(
  { commands, objects }: GitTools,
  { base, edits }: { readonly base: ObjectHash | undefined; readonly edits: readonly Edit[] },
  options: Pick<CallOptions, 'signal'> = {},
): Promise<Changed> {
  const trees = treeReader(objects)
  const top = base === undefined ? emptyDraft() : await openDraft(trees, base)
  for (const [at, edit] of edits.entries()) {
    // Other requests have their turn: edits that need no git take microseconds each, and there may be 100 000.
    if (at % 500 === 499) await setImmediate()
    const refusal = await apply(edit, { trees, top, base })
    if (refusal !== undefined) return { ok: false, edit, refusal }
  }
  if (top.stored !== undefined) return { ok: true, tree: top.stored }
  return { ok: true, tree: await writeTrees(commands, (write) => store(top, write), options) }
}

interface Editing {
  readonly trees: TreeReader
  readonly top: Draft
  readonly base: ObjectHash | undefined
}

async function apply(edit: Edit, editing: Editing): Promise<EditRefusal | undefined> {
  switch (edit.kind) {
    case 'add':
      hashArgument(edit.hash)
      return put(edit.path, edit, editing)
    case 'copy': {
      const from = edit.fromTree ?? editing.base
      const entry = from && (await editing.trees.find(from, rawParts(edit.from)))
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
  const there = drafts.at(-1)?.items.get(name)
  if (there !== undefined && isFolder(there)) return 'folder-in-the-way'
  drafts.at(-1)?.items.set(name, { name, mode, hash })
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
  const items = drafts.at(-1)?.items
  const there = items?.get(name)
  if (there === undefined || isFolder(there) !== (kind === 'delete-folder')) return 'missing'
  items?.delete(name)
  touch(drafts)
  removeEmpty(drafts, folders)
  return undefined
}

/** git has no empty folders. */
function removeEmpty(drafts: readonly Draft[], folders: readonly RawPath[]): void {
  for (const [at, name] of [...folders.entries()].reverse()) {
    if (drafts[at + 1]?.items.size === 0) drafts[at]?.items.delete(name)
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
  const entries: TreeEntry[] = []
  for (const [name, item] of draft.items) {
    if (!isDraft(item)) entries.push(item)
    else entries.push({ name, mode: folderMode, hash: item.stored ?? (await store(item, write)) })
  }
  return write(entries)
}
