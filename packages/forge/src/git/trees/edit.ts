import type { ObjectHash } from '../objects/object-hash.ts'
import type { TreePath } from './tree-path.ts'

export type FileMode = '100644' | '100755'

export type Edit =
  /** Adds a file, or replaces it. */
  | {
      readonly kind: 'add'
      readonly path: TreePath
      readonly hash: ObjectHash
      readonly mode: FileMode
    }
  | { readonly kind: 'delete'; readonly path: TreePath }
  | { readonly kind: 'delete-folder'; readonly path: TreePath }
  /** Copies a file as it was before all edits. A few copies of folders would make more files than anybody can list. */
  | {
      readonly kind: 'copy'
      readonly from: TreePath
      readonly path: TreePath
    }

export type EditRefusal =
  /** There is nothing of this kind to delete or to copy. */
  | 'missing'
  /** A part of the path is a file. */
  | 'file-in-the-way'
  /** A file would replace a folder. */
  | 'folder-in-the-way'

export type ChangedTree =
  | { readonly ok: true; readonly tree: ObjectHash }
  | { readonly ok: false; readonly edit: Edit; readonly refusal: EditRefusal }
