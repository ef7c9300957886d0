/** The keys of a bucket, below the prefix of the place. */

import { checkKey, parseKey } from '../keys.ts'
import type { ObjectKey } from '../object-store.ts'

export const objectsPrefix = 'objects/'
export const tablesPrefix = 'tables/'
export const probesPrefix = 'probes/'
export const markerName = 'store.json'

/** The packed bytes of an object. */
export function objectName(key: ObjectKey): string {
  return objectsPrefix + placeOf(key)
}

/** Its chunk table. */
export function tableName(key: ObjectKey): string {
  return tablesPrefix + placeOf(key)
}

/** Names the packed bytes, then the chunk table. */
export function namesOf(key: ObjectKey): readonly [string, string] {
  return [objectName(key), tableName(key)]
}

function placeOf(key: ObjectKey): string {
  checkKey(key)
  return `${key.slice(0, 2)}/${key}`
}

/** Undefined where the name is none of ours. */
export function keyOf(name: string, prefix: string): ObjectKey | undefined {
  const key = parseKey(name.slice(prefix.length + 3))
  return key !== undefined && name === prefix + placeOf(key) ? key : undefined
}
