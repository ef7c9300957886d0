/** A folder that is being edited: what is not touched is not read. */

import type { ObjectHash } from '../objects/object-hash.ts'
import { kindOf, type TreeEntry } from './parse-tree.ts'
import type { RawPath } from './tree-path.ts'
import type { TreeReader } from './tree-reader.ts'

export interface Draft {
  readonly items: Map<RawPath, TreeEntry | Draft>
  /** As it is stored; undefined once it differs. */
  stored: ObjectHash | undefined
}

export async function openDraft(trees: TreeReader, stored: ObjectHash): Promise<Draft> {
  const folder = await trees.read(stored)
  return { items: new Map(folder.entries().map((entry) => [entry.name, entry])), stored }
}

export function emptyDraft(): Draft {
  return { items: new Map(), stored: undefined }
}

export function isDraft(item: TreeEntry | Draft): item is Draft {
  return 'items' in item
}

export function isFolder(item: TreeEntry | Draft): boolean {
  return isDraft(item) || kindOf(item) === 'folder'
}

/** The drafts of the folders on the way, the top first; those that are missing are made, or undefined is given. */
export async function draftsTo(
  trees: TreeReader,
  top: Draft,
  { folders, make }: { readonly folders: readonly RawPath[]; readonly make: boolean },
): Promise<readonly Draft[] | 'missing' | 'file-in-the-way'> {
  const drafts = [top]
  let draft = top
  for (const name of folders) {
    const item = draft.items.get(name)
    if (item === undefined && !make) return 'missing'
    if (item !== undefined && !isFolder(item)) return 'file-in-the-way'
    const next =
      item === undefined ? emptyDraft() : isDraft(item) ? item : await openDraft(trees, item.hash)
    draft.items.set(name, next)
    drafts.push(next)
    draft = next
  }
  return drafts
}
