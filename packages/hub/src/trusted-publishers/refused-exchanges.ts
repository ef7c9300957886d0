/** The newest refused exchanges of each repository: bounded, for its owners. */

import {
  allowedValues,
  claimsIn,
  type IdTokenClaims,
  identifyingClaimsOf,
  plainValue,
} from '../permission/trusted-publisher.ts'
import type { Tables } from '../tables/directory.ts'
import type { PublisherRow } from '../tables/rows.ts'

export const maxRefusalsKept = 50
const maxValueLength = 256

export interface RefusedExchange {
  readonly row: PublisherRow
  readonly claims: IdTokenClaims
  readonly reason: string
  readonly now: number
}

export async function noteRefusal(
  tables: Tables,
  { row, claims, reason, now }: RefusedExchange,
): Promise<void> {
  const named = new Set([
    ...identifyingClaimsOf(row.preset),
    ...allowedValues(claimsIn(row)).keys(),
  ])
  const namedValues = [...named].flatMap((claim) => {
    const value = plainValue(claims, claim)
    return value === undefined ? [] : [`${claim}=${value.slice(0, maxValueLength)}`]
  })
  const { repository_uid, name: publisher, issuer } = row
  await tables
    .insertInto('refused_exchanges')
    .values({
      ...{ repository_uid, publisher, issuer, reason },
      refused_at: now,
      claims: JSON.stringify(namedValues),
    })
    .execute()
  const newest = tables
    .selectFrom('refused_exchanges')
    .select('position')
    .where('repository_uid', '=', repository_uid)
    .orderBy('position', 'desc')
    .limit(maxRefusalsKept)
  await tables
    .deleteFrom('refused_exchanges')
    .where('repository_uid', '=', repository_uid)
    .where('position', 'not in', newest)
    .execute()
}
