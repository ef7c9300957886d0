/** How much a repository may hold, counted as if nothing were shared. */

import {
  isProposalUid,
  proposalUidRange,
  type RefUid,
  type Refusal,
  refuse,
} from '@latchkey/protocol'
import { maxShardBytes, maxXorbBytes, maxXorbFooterBytes } from '@latchkey/xet/format'
import { sql } from 'kysely'
import type { GrantsInFlight } from './grant-rows.ts'
import { grantedInNamespace, type HubQuota, heldInNamespace, hubQuotaOf } from './quota-states.ts'
import type { StorageTables } from './schema.ts'
import type { Writing } from './write-in-place.ts'

export interface Quota {
  readonly bytes?: number | undefined
  readonly objects?: number | undefined
}

type NamespaceQuota = NonNullable<HubQuota['namespace']>

type Held = Pick<Writing, 'tables' | 'repositoryUid' | 'refUid' | 'quotaPart'>

/**
 * The "no" to what would be too much for an empty repository; asked before a body is read. What the repository holds is
 * left out: by announcing lengths, a writer of one ref could find out how much the other refs hold.
 */
export function refuseOversize(quota: Quota, bytes: number): Refusal | undefined {
  return isBeyond(quota.bytes, bytes) ? excess(`${quota.bytes} bytes`) : undefined
}

/** The "no" to what was added just now; undefined while the repository is within its quota. */
export async function refuseExcess(writing: Held, quota: Quota): Promise<Refusal | undefined> {
  const { tables, repositoryUid } = writing
  const held = await tables
    .selectFrom('stored_totals')
    .select(['bytes', 'objects'])
    .where('repository_uid', '=', repositoryUid)
    .executeTakeFirst()
  const { bytes = 0, objects = 0 } = held ?? {}
  const { bytes: hubBytes, namespace } = await hubQuotaOf(tables, repositoryUid)
  const own = { ...quota, bytes: lowerOf(quota.bytes, hubBytes) }
  if (isBeyond(own.bytes, bytes)) return excess(`${own.bytes} bytes`)
  if (isBeyond(own.objects, objects)) return excess(`${own.objects} xorbs and files`)
  const all = { ...own, bytes: lowerOf(own.bytes, namespace?.bytes) }
  for (const share of sharesOf(writing)) {
    // A part of the refs does not hold more than all of them.
    const mayBeTooMuch = isBeyondPart(all, share.part, { bytes, objects })
    const refusal = mayBeTooMuch ? await refuseShare(tables, share, all) : undefined
    if (refusal !== undefined) return refusal
  }
  return namespace && refuseInNamespace(writing, namespace)
}

/** Exact, because one change at a time is made in a namespace with a quota. */
async function refuseInNamespace(
  { tables, repositoryUid, refUid }: Held,
  { id, bytes: most }: NamespaceQuota,
): Promise<Refusal | undefined> {
  const { held, proposed } = await heldInNamespace(tables, id)
  if (isBeyond(most, held)) return namespaceFull
  const isTooMuch = isProposalUid(repositoryUid, refUid) && isBeyond(most * proposalsPart, proposed)
  return isTooMuch ? tooMuchProposedInNamespace : undefined
}

/** Asked when a grant was just given: what clients put into the store counts before it is committed. */
export async function areGrantsTooMany(
  { tables, repositoryUid }: Pick<Held, 'tables' | 'repositoryUid'>,
  {
    bytesOfRepository,
    bytesInRepository,
  }: Pick<GrantsInFlight, 'bytesOfRepository' | 'bytesInRepository'>,
): Promise<boolean> {
  const { bytes, namespace } = await hubQuotaOf(tables, repositoryUid)
  const most = lowerOf(bytes, namespace?.bytes)
  if (most === undefined) return false
  const half = inFlightHalf(most)
  if (bytesInRepository > half || bytesOfRepository > 2 * half) return true
  if (namespace === undefined) return false
  return (await grantedInNamespace(tables, namespace.id)) > 2 * inFlightHalf(namespace.bytes)
}

const maxBodyBytes = Math.max(maxXorbBytes + maxXorbFooterBytes, maxShardBytes)

/**
 * Uploads in flight may take as much again as may be held, and at least two of the longest bodies. One account may take
 * half of that, so that it cannot keep the others out.
 */
export function inFlightHalf(bytes: number): number {
  return Math.max(bytes / 2, Math.min(bytes, maxBodyBytes))
}

function lowerOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}

/** Uploads and pull requests of accounts that may not write: the other half stays for those who may. */
const proposalsPart = 1 / 2

interface Share {
  /** The first and the last uid of the refs that have it together. */
  readonly refs: readonly [RefUid, RefUid]
  readonly part: number
  readonly refusal: Refusal
}

function sharesOf({ repositoryUid, refUid, quotaPart: part }: Held): readonly Share[] {
  const shares: Share[] = []
  if (part !== undefined) shares.push({ refs: [refUid, refUid], part, refusal: tooMuchUploaded })
  if (isProposalUid(repositoryUid, refUid)) {
    const refs = proposalUidRange(repositoryUid)
    shares.push({ refs, part: proposalsPart, refusal: tooMuchProposed })
  }
  return shares
}

async function refuseShare(
  tables: StorageTables,
  { refs: [first, last], part, refusal }: Share,
  quota: Quota,
): Promise<Refusal | undefined> {
  const { rows } = await sql<{ bytes: number | null; objects: number }>`
    SELECT sum(bytes) AS bytes, sum(objects) AS objects FROM (
      SELECT sum(packed_bytes) AS bytes, count(*) AS objects FROM stored_xorbs
      WHERE ref_uid BETWEEN ${first} AND ${last}
      UNION ALL
      SELECT sum(length(terms)), count(*) FROM stored_files
      WHERE ref_uid BETWEEN ${first} AND ${last}
    ) AS held`.execute(tables)
  const [held] = rows
  const isTooMuch = isBeyondPart(quota, part, {
    bytes: Number(held?.bytes ?? 0),
    objects: Number(held?.objects ?? 0),
  })
  return isTooMuch ? refusal : undefined
}

function isBeyondPart(
  { bytes, objects }: Quota,
  part: number,
  held: { readonly bytes: number; readonly objects: number },
): boolean {
  return isBeyond(partOf(bytes, part), held.bytes) || isBeyond(partOf(objects, part), held.objects)
}

function partOf(most: number | undefined, part: number): number | undefined {
  return most === undefined ? undefined : most * part
}

const tooMuchUploaded = refuse(
  'quota_exceeded',
  'Your quota for pull requests is used up in this repository; nothing was stored. Open a pull request with the uploaded content, or wait until old uploads expire.',
)

const tooMuchProposed = refuse(
  'quota_exceeded',
  'The quota for pull requests by readers is used up in this repository; nothing was stored. Ask its owners to delete pull requests, or to commit yours to a branch.',
)

/** It names no number: a writer of one repository must not learn about the others. */
const namespaceFull = refuse(
  'quota_exceeded',
  'The repositories of this namespace would hold more than its quota allows; nothing was stored. Delete refs or repositories that are not needed, or ask an administrator of the hub for a larger quota.',
)

const tooMuchProposedInNamespace = refuse(
  'quota_exceeded',
  'The quota for pull requests by readers is used up in this namespace; nothing was stored. Ask its administrators to delete pull requests, or to commit yours to a branch.',
)

function isBeyond(most: number | undefined, amount: number): boolean {
  return most !== undefined && amount > most
}

/** How much there is stays untold: it speaks of refs that the token may not see. */
function excess(most: string): Refusal {
  return refuse(
    'quota_exceeded',
    `The repository may hold ${most}, every ref's counted, and this would be more; nothing was stored. Delete refs that are not needed, or ask the operator to forget files or to allow more.`,
  )
}
