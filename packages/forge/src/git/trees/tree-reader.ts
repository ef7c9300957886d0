/** Reads folders. The reader remembers the last ones for all requests; one request reads a bounded number of bytes. */

import { GrowingCache } from '@latchkey/service/limits/cache'
import type { ObjectHash } from '../objects/object-hash.ts'
import type { Objects } from '../objects/objects.ts'
import { GitFailed } from '../process/git-errors.ts'
import { type Folder, parseFolder } from './parse-tree.ts'

/** The folders of one repository. */
export interface Folders {
  read(tree: ObjectHash): Promise<Folder>
}

export interface FolderTools {
  readonly folders: Folders
  /** Aborted when the caller of all questions has gone; undefined for one who changes the repository. */
  readonly signal: AbortSignal | undefined
}

/** Some hundred thousand names. */
const maxTreeBytes = 16 * 1024 * 1024
/** Bounds the folders of all repositories together. */
const maxRememberedBytes = 64 * 1024 * 1024
/** A folder that is remembered takes so much beside its content. */
const overheadBytes = 1000

/** Gives the folders of a repository, by its place. */
export function sharedFolders(): (place: string, objects: Pick<Objects, 'read'>) => Folders {
  const remembered = new GrowingCache<string, Folder>({
    most: maxRememberedBytes,
    sizeOf: ({ sizeBytes }) => sizeBytes + overheadBytes,
  })
  /** Requests for the same folder wait for one reading of it. */
  const underWay = new Map<string, Promise<Folder>>()
  return (place, objects) => ({
    async read(tree) {
      const key = `${place} ${tree}`
      const cachedFolder = remembered.get(key) ?? underWay.get(key)
      if (cachedFolder !== undefined) return cachedFolder
      const reading = readFolder(objects, tree)
      underWay.set(key, reading)
      try {
        const folder = await reading
        remembered.set(key, folder)
        return folder
      } finally {
        underWay.delete(key)
      }
    },
  })
}

async function readFolder(objects: Pick<Objects, 'read'>, tree: ObjectHash): Promise<Folder> {
  const object = await objects.read(tree, maxTreeBytes)
  if (object?.kind !== 'tree') throw new GitFailed('exit', 'has no such folder here')
  return parseFolder(object.bytes)
}

/** About a million names. */
export const maxReadBytes = 64 * 1024 * 1024

export interface ReadLimits {
  readonly signal?: AbortSignal | undefined
  readonly maxReadBytes?: number | undefined
}

/** The folders that one request reads. A folder counts each time, also where it is remembered. */
export function treeReader(
  folders: Folders,
  { signal, maxReadBytes: max = maxReadBytes }: ReadLimits = {},
): Folders {
  let bytes = 0
  return {
    async read(tree) {
      signal?.throwIfAborted()
      const folder = await folders.read(tree)
      bytes += folder.sizeBytes
      if (bytes > max) {
        throw new GitFailed('too-large', `reads at most ${max} bytes of folders for one request`)
      }
      return folder
    },
  }
}
