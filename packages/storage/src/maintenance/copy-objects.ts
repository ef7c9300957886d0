/**
 * Copies every object that the catalogue names from one store into another, under its key: rows stay as they are. Whatever is
 * there in full is not copied again. Bytes are checked before they are written.
 */

import { eachOf } from '@latchkey/service/limits/each-of'
import type { Hash } from '@latchkey/xet/format'
import { objectOf } from '../catalog/object-names.ts'
import type { DraftId, ObjectStore, ObjectsPlace } from '../objects/object-store.ts'
import { objectsOf, openObjects } from '../objects/open-objects.ts'
import { type Amount, nothing, plus } from './amount.ts'
import { inspectObject, type Problem, readWhole, type WholeObject } from './inspect-object.ts'
import type { Maintenance } from './maintenance.ts'
import { type NamedObject, namedObjects } from './named-objects.ts'
import type { OnProgress } from './progress.ts'

/** A data directory, or a bucket. */
export interface CopySide {
  readonly data: string
  readonly objects?: ObjectsPlace | undefined
}

export interface CopyOptions {
  readonly from: CopySide
  readonly to: CopySide
  readonly onProgress?: OnProgress | undefined
}

/** An object that cannot be read as it was. It is not copied. */
export interface UncopiedObject extends Problem {
  readonly xorb: Hash
  /** Where it lies; empty where the catalogue names none. */
  readonly object: string
}

export interface ObjectCopyResult {
  readonly copied: Amount
  readonly wereThere: number
  readonly bad: readonly UncopiedObject[]
}

/** Each is in memory as a whole. */
const atOnce = 4

export async function copyObjects(
  maintenance: Pick<Maintenance, 'read'>,
  { from, to, onProgress }: CopyOptions,
): Promise<ObjectCopyResult> {
  const [source, target] = [await openObjects(objectsOf(from)), await openObjects(objectsOf(to))]
  try {
    await target.prepare()
    const { read } = maintenance
    const stores = { read, source, target }
    let [copied, wereThere, compared] = [nothing, 0, 0]
    const bad: UncopiedObject[] = []
    await eachOf(namedObjects({ read }, undefined), atOnce, async (named) => {
      const done = await copyOne(stores, named)
      if (done === 'there') wereThere += 1
      else if (typeof done === 'number') copied = plus(copied, { count: 1, bytes: done })
      else if (done !== undefined) bad.push(done)
      compared += 1
      onProgress?.(`objects compared, ${copied.count} copied`, compared)
    })
    bad.sort((one, other) => (one.xorb < other.xorb ? -1 : 1))
    return { copied, wereThere, bad }
  } finally {
    await source.close()
    await target.close()
  }
}

interface Stores extends Pick<Maintenance, 'read'> {
  readonly source: ObjectStore
  readonly target: ObjectStore
}

/** How many bytes were written. Undefined where nothing leads to the object any more. */
async function copyOne(
  { read, source, target }: Stores,
  named: NamedObject,
): Promise<number | 'there' | UncopiedObject | undefined> {
  if (await isThere(target, named)) return 'there'
  const whole = await readWhole({ objects: source }, named)
  if (!('problem' in whole)) return write(target, named, whole)
  // A collection may have removed it since, and an upload may have brought it again.
  const key = await read((tables) => objectOf(tables, named.digest))
  if (key !== named.key) {
    return key === undefined ? undefined : copyOne({ read, source, target }, { ...named, key })
  }
  return { xorb: named.hash, object: key === undefined ? '' : source.addressOf(key), ...whole }
}

/** A store shows an object only in its full length. */
async function isThere(target: ObjectStore, named: NamedObject): Promise<boolean> {
  return (await inspectObject({ objects: target }, named, false)) === undefined
}

async function write(
  target: ObjectStore,
  { key }: NamedObject,
  { bytes, table }: WholeObject,
): Promise<number> {
  if (key === undefined) throw new TypeError('an object without a key was read')
  // A part of it, or a draft, of a copy that was cut off.
  const draft = target.newDraft(key as string as DraftId)
  await target.remove(key)
  await draft.discard()
  const encoded = table.encoded()
  try {
    const writer = target.createDraft(draft.id)
    try {
      writer.write(bytes)
      writer.write(encoded)
    } finally {
      writer.close()
    }
    await target.put({ ...draft, bytes: bytes.length + encoded.length })
  } finally {
    await draft.discard()
  }
  return bytes.length
}
