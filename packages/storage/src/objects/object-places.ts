/** Where in its directory an object lies: in one of 256 folders, all of which are there from the start. */

import { basename, join } from 'node:path'
import { type Digest, parseDigest } from './object-store.ts'

export interface ObjectPlace {
  readonly file: string
  readonly folder: string
}

/** The content of a hub, below its data. */
export function objectsFolder(data: string): string {
  return join(data, 'objects')
}

export function placeOf(root: string, digest: Digest): ObjectPlace {
  // Whatever the types say: a path is never made of anything else.
  if (parseDigest(digest) === undefined) throw new TypeError('an object is named by its digest')
  const folder = join(root, digest.slice(0, 2))
  return { file: join(folder, digest), folder }
}

/** The name of every folder that holds objects. */
export const fanOut: readonly string[] = Array.from({ length: 256 }, (_, index) =>
  index.toString(16).padStart(2, '0'),
)

export function draftsIn(root: string): string {
  return join(root, 'drafts')
}

/** What a draft is called beside an object that has the same bytes, until it is removed. */
export function copyIn(folder: string, draftFile: string): string {
  return join(folder, basename(draftFile) + copyEnding)
}

const copyEnding = '.copy'

export function isCopy(name: string): boolean {
  return name.endsWith(copyEnding)
}
