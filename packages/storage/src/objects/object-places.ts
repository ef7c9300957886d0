/** Where in its directory an object lies: below two levels of folders, so that none grows too large. */

import { join } from 'node:path'
import { type Digest, parseDigest } from './object-store.ts'

export interface ObjectPlace {
  readonly file: string
  /** The folders above it, the outer one first. */
  readonly folders: readonly [string, string]
}

/** The content of a hub, below its data. */
export function objectsFolder(data: string): string {
  return join(data, 'objects')
}

export function placeOf(root: string, digest: Digest): ObjectPlace {
  // Whatever the types say: a path is never made of anything else.
  if (parseDigest(digest) === undefined) throw new TypeError('an object is named by its digest')
  const outer = join(root, digest.slice(0, 2))
  const inner = join(outer, digest.slice(2, 4))
  return { file: join(inner, digest), folders: [outer, inner] }
}

export function draftsIn(root: string): string {
  return join(root, 'drafts')
}
