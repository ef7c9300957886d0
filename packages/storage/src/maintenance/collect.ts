/** Frees what nothing leads to any more: unused xorbs, then objects without a name, then old drafts. */

import { isRefusal, type Refusal, type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { removeEnded } from '../catalog/grant-rows.ts'
import { sizesOf } from '../catalog/object-names.ts'
import { removeExpired } from '../catalog/upload-rows.ts'
import type { Digest } from '../objects/object-store.ts'
import { type Amount, nothing, plus, sumOf } from './amount.ts'
import { beginDeletion } from './begin-deletion.ts'
import { collectObjects } from './collect-objects.ts'
import { type Collecting, collectXorbs } from './collect-xorbs.ts'
import type { Maintenance } from './maintenance.ts'
import type { OnProgress } from './progress.ts'
import { unnamed } from './remove-objects.ts'
import { rowsByDigest } from './remove-rows.ts'
import { collectUnknown } from './unknown-objects.ts'

const daySeconds = 24 * 3600

export const defaultGraceSeconds = daySeconds

/** An upload that is under way has sent xorbs that no file is made of yet. */
export const minGraceSeconds = 3600

/** No upload takes as long. */
const draftSeconds = 2 * 3600

export interface CollectOptions {
  readonly now: UnixSeconds
  readonly graceSeconds?: number
  /** The bytes of an object are deleted so many days after it was unmapped. */
  readonly keepDays?: number
  /** List the store, too, and delete what no row of the catalogue knows. */
  readonly withUnknown?: boolean
  readonly onProgress?: OnProgress | undefined
  readonly isDryRun?: boolean
}

/** The deleted content; in a dry run the content that would be deleted. */
export interface CollectionResult {
  /** Logical: every ref's row counts. */
  readonly xorbs: Amount
  /** On the disk. */
  readonly objects: Amount
  readonly drafts: Amount
  readonly freedBytes: number
  /** Objects that nothing leads to any more, and whose bytes a later collection deletes. */
  readonly unmapped: Amount
  /** Objects that no row knows; left out unless they were looked for. */
  readonly unknown?: Amount
  /** Objects that stay although nothing leads to them, because they came within the grace time. */
  readonly young: Amount
}

/**
 * A row goes before its object: wherever this is cut off, nothing that is there lacks anything. Nothing goes without the
 * hub, which must be told what went; rejects with `HubLinkError` when it cannot be asked.
 */
export async function collect(
  maintenance: Maintenance,
  { now, graceSeconds = defaultGraceSeconds, isDryRun = true, ...options }: CollectOptions,
): Promise<CollectionResult | Refusal> {
  if (graceSeconds < minGraceSeconds) throw new RangeError('too short for a running upload')
  const refused = isDryRun ? undefined : await beginDeletion(maintenance)
  if (isRefusal(refused)) return refused
  const { keepDays = 0, withUnknown = false, onProgress } = options
  const before = unixSeconds(now - graceSeconds)
  const keepSeconds = keepDays * daySeconds
  const collecting = { before, isDryRun, now, keepSeconds, onProgress }
  if (!isDryRun) await removeAllExpired(maintenance, now)
  const { xorbs, freed } = await countXorbs(maintenance, collecting)
  const collected = await collectObjects(maintenance, collecting, freed)
  if (isRefusal(collected)) return collected
  const { objects, unmapped, young } = collected
  const unknown = withUnknown ? await collectUnknown(maintenance, collecting) : undefined
  if (isRefusal(unknown)) return unknown
  const drafts = await maintenance.objects.sweepDrafts(unixSeconds(now - draftSeconds), isDryRun)
  const freedBytes = objects.bytes + drafts.bytes + (unknown?.bytes ?? 0)
  return { xorbs, objects, drafts, freedBytes, unmapped, young, ...(unknown && { unknown }) }
}

async function removeAllExpired({ change }: Maintenance, now: UnixSeconds): Promise<void> {
  while ((await change((tables) => removeExpired(tables, now))) > 0);
  // Their objects are found by their keys, like those of other uploads that did not end.
  while ((await change((tables) => removeEnded(tables, now).then(({ count }) => count))) > 0);
}

/** In a dry run also the objects that the rows would free. */
async function countXorbs(
  maintenance: Maintenance,
  collecting: Collecting & Pick<CollectOptions, 'onProgress'>,
): Promise<{ readonly xorbs: Amount; readonly freed: Amount }> {
  let [xorbs, freed] = [nothing, nothing]
  const shared = new Map<Digest, number>()
  for await (const gone of collectXorbs(maintenance, collecting)) {
    xorbs = plus(xorbs, sumOf(gone.map(({ packedBytes }) => packedBytes)))
    collecting.onProgress?.('unused xorbs found', xorbs.count)
    if (!collecting.isDryRun) continue
    const leaving = rowsByDigest(gone)
    freed = plus(freed, await freedBy(maintenance, leaving, shared))
  }
  return { xorbs, freed: plus(freed, await freedBy(maintenance, shared)) }
}

/** The objects that no other row names. What other repositories have too goes into `rest`, which so stays small. */
async function freedBy(
  { read }: Maintenance,
  leaving: ReadonlyMap<Digest, number>,
  rest?: Map<Digest, number>,
): Promise<Amount> {
  const free = await read((tables) => unnamed(tables, [...leaving.keys()], leaving))
  if (rest !== undefined) {
    const isFree = new Set(free)
    for (const [digest, rows] of leaving) {
      if (!isFree.has(digest)) rest.set(digest, (rest.get(digest) ?? 0) + rows)
    }
  }
  return sumOf(await read((tables) => sizesOf(tables, free)))
}
