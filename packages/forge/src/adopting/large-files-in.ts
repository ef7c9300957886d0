/** The large files of a tree: the pointers that git has of them. */

import { pointerAt } from '../files/describe-files.ts'
import type { ObjectHash, Repository } from '../git/index.ts'
import type { Pointer } from '../large/pointer.ts'

/** Each content once, and none without bytes: that one is always there. */
export type LargeFilesIn = (tree: ObjectHash) => Promise<readonly Pointer[]>

const entriesAtOnce = 5000

/** What was read of one tree need not be read again for the next. */
export function largeFilesOf(repository: Repository): LargeFilesIn {
  const known = new Map<ObjectHash, Pointer | undefined>()
  const learn = async (hashes: readonly ObjectHash[]) => {
    const infos = await repository.infoOf(hashes)
    for (const [at, hash] of hashes.entries()) {
      known.set(hash, await pointerAt(repository, hash, infos[at]?.size ?? 0))
    }
  }
  return async (tree) => {
    const found = new Map<string, Pointer>()
    let after: string | undefined
    do {
      const page = await repository.listTree(tree, { recursive: true, after, limit: entriesAtOnce })
      const blobs = (page?.entries ?? [])
        .filter(({ kind }) => kind === 'file')
        .map(({ hash }) => hash)
      await learn([...new Set(blobs)].filter((hash) => !known.has(hash)))
      for (const hash of blobs) {
        const pointer = known.get(hash)
        if (pointer !== undefined && pointer.sizeBytes > 0) found.set(pointer.oid, pointer)
      }
      after = page?.next
    } while (after !== undefined)
    return [...found.values()]
  }
}
