/** How much a repository may hold, counted as if nothing were shared. */

import {
  isProposalUid,
  proposalUidRange,
  type RefUid,
  type Refusal,
  refuse,
} from '@latchkey/protocol'
import { sql } from 'kysely'
import type { StorageTables } from './schema.ts'
import type { Writing } from './write-in-place.ts'

export interface Quota {
  readonly bytes?: number | undefined
  readonly objects?: number | undefined
}

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
  if (isBeyond(quota.bytes, bytes)) return excess(`${quota.bytes} bytes`)
  if (isBeyond(quota.objects, objects)) return excess(`${quota.objects} xorbs and files`)
  for (const share of sharesOf(writing)) {
    // A part of the refs does not hold more than all of them.
    const mayBeTooMuch = isBeyondPart(quota, share.part, { bytes, objects })
    const refusal = mayBeTooMuch ? await refuseShare(tables, share, quota) : undefined
    if (refusal !== undefined) return refusal
  }
  return undefined
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
