/** Compares the places that have content here with the hub's directory, after the two may have lost each other. */

import { type RefUid, type Refusal, type RepositoryUid, refuse } from '@latchkey/protocol'
import { beginAnew, clearLoss, readLinkState } from '../catalog/link-state.ts'
import { hold } from '../catalog/locks.ts'
import { addTombstones, liftTombstones, sweepPlaces } from '../catalog/removed-places.ts'
import { deliverEpochs, noteRemoval } from '../following/deliver-epochs.ts'
import { type Comparison, comparePlaces } from './compare-places.ts'
import type { Maintenance } from './maintenance.ts'
import { named } from './repository-names.ts'
import { amountIn } from './stored-places.ts'

export interface ReconcileOptions {
  readonly isDryRun?: boolean
  /** Also when the hub lacks so many places that it may be another hub. */
  readonly evenMost?: boolean
}

/** A place that has content here and is not in the hub's directory. */
export interface OrphanedPlace {
  readonly kind: 'repository' | 'ref or commit'
  readonly uid: RepositoryUid | RefUid
  /** By its name, where it has one. */
  readonly repository: string
  readonly bytes: number
  readonly objects: number
}

export interface ReconcileResult {
  /** How many repositories, refs and commits have content here. */
  readonly places: number
  readonly orphans: readonly OrphanedPlace[]
  /** How many places the hub had removed and has again, from a backup: nothing can be written to them here. */
  readonly returned: number
  /** So many are orphans that the hub may be another one. */
  readonly isDoubtful: boolean
  /** The hub's journal did not have the entry that the storage had followed, and no `reconcile` has ended that. */
  readonly isLinkLost: boolean
}

/**
 * The uids were read here before the hub was asked for them. A hub makes a uid before any token names it, so a place that
 * it does not have then will never come. Rejects with `HubLinkError`.
 */
export async function reconcile(
  maintenance: Maintenance,
  { isDryRun = true, evenMost = false }: ReconcileOptions = {},
): Promise<ReconcileResult | Refusal> {
  for (;;) {
    const compared = await comparePlaces(maintenance)
    if (isStaleCopy(compared)) return staleCopy(compared)
    const reconciled = await describe(maintenance, compared)
    if (isDryRun) return reconciled
    if (reconciled.isDoubtful && !evenMost) return perhapsAnotherHub(reconciled)
    if (!(await removeOrphans(maintenance, compared))) continue
    await sweepPlaces(maintenance.database)
    await deliverEpochs(maintenance.database, maintenance.link)
    return reconciled
  }
}

async function describe(maintenance: Maintenance, compared: Comparison): Promise<ReconcileResult> {
  const { repositories, refs, places, returned, newStart, state } = compared
  const owners = [...new Set(refs.values())]
  const paths = new Map((await named(maintenance, owners)).map(({ uid, path }) => [uid, path]))
  const orphans: OrphanedPlace[] = []
  for (const uid of repositories) {
    const { count, bytes } = await maintenance.read((tables) =>
      amountIn(tables, 'repository_uid', uid),
    )
    orphans.push({ kind: 'repository', uid, repository: uid, bytes, objects: count })
  }
  for (const [uid, owner] of refs) {
    const { count, bytes } = await maintenance.read((tables) => amountIn(tables, 'ref_uid', uid))
    const repository = paths.get(owner) ?? owner
    orphans.push({ kind: 'ref or commit', uid, repository, bytes, objects: count })
  }
  const isLinkLost = newStart !== undefined || state.lostAt !== undefined
  const doubtful = isDoubtful(orphans.length, compared)
  return { places, orphans, returned: returned.length, isDoubtful: doubtful, isLinkLost }
}

/** So few may well have come since the backup that the hub was restored from. */
const fewOrphans = 10

/** Another hub, or an empty database, knows none of the places; a backup lacks the last few. */
function isDoubtful(orphans: number, { places, knownPlaces }: Comparison): boolean {
  if (orphans === 0) return false
  return knownPlaces === 0 || (places - knownPlaces > fewOrphans && knownPlaces * 2 < places)
}

/** In one transaction, or nothing: false when the storage and the hub have lost each other again meanwhile. */
function removeOrphans({ change, clock }: Maintenance, compared: Comparison): Promise<boolean> {
  const { state, newStart, repositories, refs, returned } = compared
  return change(async (tables) => {
    await hold(tables, { link: 'alone' })
    const now = await readLinkState(tables)
    if (now.lostAt !== state.lostAt) return false
    // What was followed meanwhile may have removed a place that had returned.
    const isPast = now.applied !== state.applied
    if (isPast && (newStart !== undefined || returned.length > 0)) return false
    if (newStart !== undefined) await beginAnew(tables, newStart, clock())
    await liftTombstones(tables, returned)
    await addTombstones(tables, [...repositories, ...refs.keys()], clock())
    for (const uid of new Set(refs.values())) await noteRemoval(tables, uid)
    await clearLoss(tables)
    return true
  })
}

/** A hub that was really restored has entries of the present, whose numbers are above all that the storage has heard of. */
function isStaleCopy({ head, state }: Comparison): boolean {
  return head < state.knownNumber
}

function staleCopy({ head, state }: Comparison): Refusal {
  return refuse(
    'conflict',
    `The hub's journal ends at ${head}, and this storage has heard of entry ${state.knownNumber}: this is an old copy of the hub's database, which does not have what was made since. Nothing was removed. Name the database that the hub serves with --data or --hub; after a restore, start the hub once first.`,
  )
}

function perhapsAnotherHub({ places, orphans }: ReconcileResult): Refusal {
  return refuse(
    'conflict',
    `The hub does not have most of the ${places} places that have content here (${orphans.length} repositories, refs and commits would go), which is what another hub or an empty database looks like. Nothing was removed. Check --data and --hub; if it is the right hub, say --all.`,
  )
}
