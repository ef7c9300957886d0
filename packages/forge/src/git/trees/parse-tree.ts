/** A folder as git stores it, read. */

import type { ObjectHash } from '../objects/object-hash.ts'
import type { RawPath } from './tree-path.ts'

/** Symbolic links and submodules are listed, and nothing follows them. */
export type EntryKind = 'folder' | 'file' | 'symlink' | 'submodule'

export interface TreeEntry {
  readonly name: RawPath
  readonly mode: string
  readonly hash: ObjectHash
}

export const folderMode = '40000'

export function kindOf({ mode }: Pick<TreeEntry, 'mode'>): EntryKind {
  if (mode === folderMode) return 'folder'
  return mode === '120000' ? 'symlink' : mode === '160000' ? 'submodule' : 'file'
}

const hashBytes = 20

export function parseTree(bytes: Buffer): readonly TreeEntry[] {
  const entries: TreeEntry[] = []
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at)
    const nul = bytes.indexOf(0, space)
    const end = nul + 1 + hashBytes
    if (space === -1 || nul === -1 || end > bytes.length) throw new Error('git gave half a folder')
    entries.push({
      // Some programs have written folders with a zero in front.
      mode: bytes.toString('latin1', at, space).replace(/^0+/, ''),
      name: bytes.toString('latin1', space + 1, nul) as RawPath,
      hash: bytes.toString('hex', nul + 1, end) as ObjectHash,
    })
    at = end
  }
  return entries
}
