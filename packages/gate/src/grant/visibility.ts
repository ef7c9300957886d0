import type { Grant } from './grant.ts'

/** The part of a stored row that decides which tokens read it. Store it beside your content. */
export interface Row {
  readonly repositoryUid: string
  readonly refUid: string
  /** Unix milliseconds, or the journal number of the writing token if that is higher. */
  readonly writtenAt: number
}

/**
 * Returns the row to store with content that this grant writes.
 *
 * `writtenAt` is the higher of the clock and the journal number of the token. So a clock that runs
 * slow does not show content to a fork that was created before the token was issued. If the same
 * content is written again under the same ref, keep the row with the lower `writtenAt`.
 *
 * @example
 * ```ts
 * rows.set(name, [...(rows.get(name) ?? []), { ...rowFor(grant), bytes }])
 * ```
 *
 * @param nowMilliseconds The current time; by default `Date.now()`.
 */
export function rowFor(
  grant: Pick<Grant, 'repositoryUid' | 'refUid' | 'asOf'>,
  nowMilliseconds: number = Date.now(),
): Row {
  const { repositoryUid, refUid, asOf } = grant
  if (!Number.isSafeInteger(nowMilliseconds) || nowMilliseconds < 0) {
    const expected =
      'rowFor needs the current time in whole Unix milliseconds, for example Date.now()'
    throw new RangeError(`${expected}; it is ${nowMilliseconds}`)
  }
  return { repositoryUid, refUid, writtenAt: Math.max(nowMilliseconds, asOf) }
}

/**
 * Whether a token with this grant reads the row: the row belongs to its repository, and either to
 * its ref or to a ref in `sees`, with a `writtenAt` below `before`. Answer 404 for all other rows.
 *
 * @example
 * ```ts
 * const newest = rows.get(name)?.findLast((row) => visible(grant, row))
 * ```
 */
export function visible(
  grant: Pick<Grant, 'repositoryUid' | 'refUid' | 'sees'>,
  row: Row,
): boolean {
  if (row.repositoryUid !== grant.repositoryUid) return false
  if (row.refUid === grant.refUid) return true
  // Without the type, a null of a database would count as 0 and text as a number.
  if (typeof row.writtenAt !== 'number') return false
  return grant.sees.some(({ uid, before }) => uid === row.refUid && row.writtenAt < before)
}
