/** The claims as hubs before journal numbers wrote them, with moments in seconds; this form goes with the next minor version. */

import { isJournalNumber, noJournalNumber } from '@latchkey/protocol'
import { type Claims, textOf } from './claims.ts'

/** The same claims in today's form. Nothing is checked here but what the change of form needs. */
export function fromSeconds(claims: { readonly sees?: unknown }): object | undefined {
  const { sees } = claims
  return Array.isArray(sees)
    ? { ...claims, as_of: noJournalNumber, sees: sees.map(numbered) }
    : undefined
}

/**
 * Content written at `until` was visible, and a stamp must be below `before`. Stamps are milliseconds or more, and so above
 * every number of seconds: an old token opens nothing of a storage that stamps its rows.
 */
function numbered(seen: unknown): unknown {
  const { uid, until } = Object(seen)
  return { uid, before: isJournalNumber(until) ? until + 1 : undefined }
}

export function serialiseInSeconds(claims: Claims): string {
  return textOf(claims, {
    sees: claims.sees.map(({ uid, before }) => ({ uid, until: before - 1 })),
  })
}
