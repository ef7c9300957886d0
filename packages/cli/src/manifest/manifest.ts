/** A manifest: the names of files that are in a storage, and the hash by which each is downloaded. */

import type { Hash } from '@latchkey/xet'

export interface ManifestFile {
  /** Relative, with `/` between its parts. */
  readonly path: string
  readonly hash: Hash
  readonly bytes: number
}

export interface Manifest {
  /** As in a target: `models/acme/bert`. */
  readonly repository: string
  readonly revision: string
  /** Sorted by the bytes of their paths. */
  readonly files: readonly ManifestFile[]
}

/** The same order on every system, whatever its language. */
export function sortByPath<Item extends { readonly path: string }>(items: readonly Item[]): Item[] {
  const keyed = items.map((item) => ({ item, key: Buffer.from(item.path) }))
  return keyed.sort((one, other) => one.key.compare(other.key)).map(({ item }) => item)
}
