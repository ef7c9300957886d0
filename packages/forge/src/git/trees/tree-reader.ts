/** Reads folders; those read last are remembered for as long as one question takes. */

import type { ObjectHash } from '../objects/object-hash.ts'
import type { Objects } from '../objects/objects.ts'
import { GitFailed } from '../process/git-errors.ts'
import { Folder, kindOf, type TreeEntry } from './parse-tree.ts'
import type { RawPath } from './tree-path.ts'

export interface TreeReader {
  read(tree: ObjectHash): Promise<Folder>
  /** Undefined if the path leads nowhere, or through something that is no folder. */
  find(tree: ObjectHash, parts: readonly RawPath[]): Promise<TreeEntry | undefined>
}

/** Some hundred thousand names. */
const mostTreeBytes = 16 * 1024 * 1024
/** Of all folders together. */
const mostRememberedBytes = 16 * 1024 * 1024

export function treeReader(objects: Objects): TreeReader {
  const remembered = new Map<ObjectHash, Folder>()
  let bytes = 0
  const remember = (tree: ObjectHash, folder: Folder) => {
    remembered.set(tree, folder)
    bytes += folder.sizeBytes
    for (const [oldest, { sizeBytes }] of remembered) {
      if (bytes <= mostRememberedBytes) return
      remembered.delete(oldest)
      bytes -= sizeBytes
    }
  }
  const read = async (tree: ObjectHash): Promise<Folder> => {
    const known = remembered.get(tree)
    if (known !== undefined) return known
    const object = await objects.read(tree, mostTreeBytes)
    if (object?.kind !== 'tree') throw new GitFailed('exit', 'has no such folder here')
    const folder = new Folder(object.bytes)
    remember(tree, folder)
    return folder
  }
  return {
    read,
    async find(tree, parts) {
      let folder: ObjectHash = tree
      for (const part of parts.slice(0, -1)) {
        const entry = (await read(folder)).get(part)
        if (entry === undefined || kindOf(entry) !== 'folder') return undefined
        folder = entry.hash
      }
      const [last] = parts.slice(-1)
      return last && (await read(folder)).get(last)
    },
  }
}
