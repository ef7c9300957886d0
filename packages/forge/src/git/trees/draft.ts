/** A folder that is being edited: what is not touched is not read, and what is not changed is not copied. */

import type { ObjectHash } from '../objects/object-hash.ts'
import { type Folder, kindOf, type TreeEntry } from './parse-tree.ts'
import type { RawPath } from './tree-path.ts'
import type { Folders } from './tree-reader.ts'

export interface Draft {
  /** As it was; undefined for a new one. */
  readonly folder: Folder | undefined
  /** By name; undefined for an entry that is deleted. */
  readonly changes: Map<RawPath, DraftItem | undefined>
  count: number
  /** As it is stored; undefined once it differs. */
  stored: ObjectHash | undefined
}

export type DraftItem = TreeEntry | Draft

export async function openDraft(trees: Folders, stored: ObjectHash): Promise<Draft> {
  const folder = await trees.read(stored)
  return { folder, changes: new Map(), count: folder.count, stored }
}

export function emptyDraft(): Draft {
  return { folder: undefined, changes: new Map(), count: 0, stored: undefined }
}

export function itemIn({ folder, changes }: Draft, name: RawPath): DraftItem | undefined {
  return changes.has(name) ? changes.get(name) : folder?.get(name)
}

/** Undefined deletes it. */
export function setItem(draft: Draft, name: RawPath, item: DraftItem | undefined): void {
  const before = itemIn(draft, name)
  draft.count += Number(item !== undefined) - Number(before !== undefined)
  draft.changes.set(name, item)
}

export function isDraft(item: DraftItem): item is Draft {
  return 'changes' in item
}

export function isFolder(item: DraftItem): boolean {
  return isDraft(item) || kindOf(item) === 'folder'
}

/** The drafts of the folders on the way, the top first; those that are missing are made, or undefined is given. */
export async function draftsTo(
  trees: Folders,
  top: Draft,
  { folders, make }: { readonly folders: readonly RawPath[]; readonly make: boolean },
): Promise<readonly Draft[] | 'missing' | 'file-in-the-way'> {
  const drafts = [top]
  let draft = top
  for (const name of folders) {
    const item = itemIn(draft, name)
    if (item === undefined && !make) return 'missing'
    if (item !== undefined && !isFolder(item)) return 'file-in-the-way'
    const next =
      item === undefined ? emptyDraft() : isDraft(item) ? item : await openDraft(trees, item.hash)
    if (next !== item) setItem(draft, name, next)
    drafts.push(next)
    draft = next
  }
  return drafts
}
