/**
 * Keeps revocation entries that a newer list lacks. A hub deletes an entry when it has ended. If it is missing sooner, the
 * hub's database was rolled back, and the hub does not know any more what it has revoked.
 */

import type { Moment } from '@latchkey/protocol'
import { cutOffHash, endOfCutOff, type RevocationHead, type RevocationList } from '@latchkey/token'

export interface KeptEntry {
  readonly number: number
  /** The id of the key that signed the last head whose list had the entry. */
  readonly kid: string
}

/** By the hash of what is cut off. */
export type KeptEntries = ReadonlyMap<string, KeptEntry>

/** Keeps entries beyond the life of a process, for all that follow the same hub with it. */
export interface EntryKeeper {
  /** Adds entries, and gives all that are kept and not over. */
  keep(entries: KeptEntries): Promise<KeptEntries>
}

/** As many as a list can have. */
const maxKept = 100_000

interface NewList {
  readonly listed: RevocationList
  /** When the hub signed the head of the list. */
  readonly at: number
  /** A withdrawn key may have been a thief's, and so may its entries. */
  readonly isPublished: (kid: string) => boolean
  /** Entries that an earlier process or another one has accepted. */
  readonly remembered?: KeptEntries | undefined
}

export interface RevocationLists {
  /** The list that the head names. */
  readonly listed: RevocationList
  /** Entries of earlier lists that this one lacks, and has to have. */
  readonly entries: KeptEntries
  /** The gate judges tokens by it: the list and the kept entries. */
  readonly list: RevocationList
}

/** Gives the same `list` as before where both parts of it are the same. */
export function keepEntries(
  held: (RevocationLists & { readonly kid: string }) | undefined,
  { listed, at, isPublished, remembered = noEntries }: NewList,
): RevocationLists {
  const entries = new Map<string, KeptEntry>()
  const keep = (hash: string, entry: KeptEntry) => {
    const isListed = (listed.get(hash) ?? -1) >= entry.number
    const isLower = (entries.get(hash)?.number ?? -1) >= entry.number
    const isOver = endOfCutOff(entry.number) <= at
    if (!isListed && !isLower && !isOver && isPublished(entry.kid)) entries.set(hash, entry)
  }
  for (const [hash, entry] of held?.entries ?? noEntries) keep(hash, entry)
  for (const [hash, entry] of remembered) keep(hash, entry)
  if (held !== undefined && held.listed !== listed) {
    for (const [hash, number] of held.listed) keep(hash, { number, kid: held.kid })
  }
  dropOldest(entries)
  const isSame = held?.listed === listed && isEqual(held.entries, entries)
  return { listed, entries, list: isSame ? held.list : merged(listed, entries) }
}

export const noEntries: KeptEntries = new Map()

function isEqual(one: KeptEntries, other: KeptEntries): boolean {
  const isIn = ([hash, { number }]: readonly [string, KeptEntry]) =>
    other.get(hash)?.number === number
  return one.size === other.size && [...one].every(isIn)
}

/** Every entry that counts by these lists; the key of the head has signed those that are listed. */
export function entriesOf({ listed, entries, kid }: RevocationLists & { readonly kid: string }) {
  const all = new Map<string, KeptEntry>(entries)
  for (const [hash, number] of listed) {
    if (number >= (all.get(hash)?.number ?? -1)) all.set(hash, { number, kid })
  }
  return all
}

/** A hub that replaces many entries by one for all tokens leaves many behind. Newer ones end later. */
function dropOldest(entries: Map<string, KeptEntry>): void {
  const excess = entries.size - maxKept
  if (excess <= 0) return
  const ends = Float64Array.from(entries.values(), ({ number }) => endOfCutOff(number)).sort()
  const last = ends[excess - 1] ?? 0
  for (const [hash, { number }] of entries) {
    if (entries.size > maxKept && endOfCutOff(number) <= last) entries.delete(hash)
  }
}

function merged(listed: RevocationList, entries: KeptEntries): RevocationList {
  if (entries.size === 0) return listed
  const both = new Map(listed)
  for (const [hash, { number }] of entries) both.set(hash, number)
  return both
}

export interface HeldRevocations extends RevocationLists {
  readonly head: RevocationHead
  /** The id of the key that signed the head. */
  readonly kid: string
  /** When the first question was sent that brought the head: from then on its life is counted. */
  readonly since: Moment
  /** When the last question was sent that brought it, or another one of the same number. */
  readonly confirmed: Moment
}

/** A cut-off of a key is absolute: its number does not matter. */
export function namesKey(list: RevocationList, kid: string): boolean {
  return list.has(cutOffHash({ kind: 'key', id: kid }))
}
