/** Frees what nothing leads to any more: unused xorbs, then objects without a name, then old drafts. */

import { isRefusal, type Refusal, type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { removeExpired } from '../catalog/upload-rows.ts'
import type { Digest } from '../objects/object-store.ts'
import { type Amount, nothing, plus, sumOf } from './amount.ts'
import { beginDeletion } from './begin-deletion.ts'
import { collectObjects } from './collect-objects.ts'
import { type Collecting, collectXorbs } from './collect-xorbs.ts'
import type { Maintenance } from './maintenance.ts'
import type { Leaving } from './remove-objects.ts'

export const defaultGraceSeconds = 24 * 3600

/** An upload that is under way has sent xorbs that no file is made of yet. */
export const minGraceSeconds = 3600

/** No upload takes as long. */
const draftSeconds = 2 * 3600

export interface CollectOptions {
  readonly now: UnixSeconds
  readonly graceSeconds?: number
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
  /** Objects that stay although nothing leads to them, because they came within the grace time. */
  readonly young: Amount
}

/**
 * A row goes before its object: wherever this is cut off, nothing that is there lacks anything. Nothing goes without the
 * hub, which must be told what went; rejects with `HubLinkError` when it cannot be asked.
 */
export async function collect(
  maintenance: Maintenance,
  { now, graceSeconds = defaultGraceSeconds, isDryRun = true }: CollectOptions,
): Promise<CollectionResult | Refusal> {
  if (graceSeconds < minGraceSeconds) throw new RangeError('too short for a running upload')
  const refused = isDryRun ? undefined : await beginDeletion(maintenance)
  if (isRefusal(refused)) return refused
  const collecting = { before: unixSeconds(now - graceSeconds), isDryRun, now }
  if (!isDryRun) await removeAllExpired(maintenance, now)
  const { xorbs, leaving } = await countXorbs(maintenance, collecting)
  const { objects, young } = await collectObjects(maintenance, collecting, leaving)
  const drafts = await maintenance.objects.sweepDrafts(unixSeconds(now - draftSeconds), isDryRun)
  return { xorbs, objects, drafts, freedBytes: objects.bytes + drafts.bytes, young }
}

async function removeAllExpired({ change }: Maintenance, now: UnixSeconds): Promise<void> {
  while ((await change((tables) => removeExpired(tables, now))) > 0);
}

async function countXorbs(
  maintenance: Maintenance,
  collecting: Collecting,
): Promise<{ readonly xorbs: Amount; readonly leaving: Leaving }> {
  const leaving = new Map<Digest, number>()
  let xorbs = nothing
  for await (const gone of collectXorbs(maintenance, collecting)) {
    xorbs = plus(xorbs, sumOf(gone.map(({ packedBytes }) => packedBytes)))
    if (!collecting.isDryRun) continue
    for (const { digest } of gone) leaving.set(digest, (leaving.get(digest) ?? 0) + 1)
  }
  return { xorbs, leaving }
}
