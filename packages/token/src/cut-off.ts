/** A cut-off: tokens that name a thing, and were decided before a number of the journal, are dead. */

import { hash } from 'node:crypto'
import { asRefUid, type JournalNumber, noJournalNumber, writtenUid } from '@latchkey/protocol'
import { maxLeewaySeconds, maxLifeSeconds } from './claims.ts'
import type { Revocable } from './revocable.ts'

export const cutOffKinds = [
  'token',
  'hub-token',
  'account',
  'account+repository',
  'account+namespace',
  'namespace',
  'repository',
  'ref',
  'key',
  'all',
] as const

export type CutOffKind = (typeof cutOffKinds)[number]

/**
 * The subject of an entry: an id of the kind, two ids joined by a slash, or an empty text for
 * `all`.
 */
export interface RevocationTarget {
  readonly kind: CutOffKind
  readonly id: string
}

/** A token that is cut off for ever stays dead, whatever its `as_of`. In a list only keys have this number. */
export const forEver = Number.MAX_SAFE_INTEGER as JournalNumber

/** No journal reaches this number. The list adds to it when a final cut-off was made. */
const finalFrom = 2 ** 52

/** The number in a list of a token or hub token that never comes back. `made` is the number of the entry that cut it. */
export function finalNumber(made: number): JournalNumber {
  return (finalFrom + made) as JournalNumber
}

/** Clocks of hubs may be apart, and a hub that lags may sign a little later. */
const marginSeconds = 3600

/** A cut-off is needed for so long after it was made: then no storage token is alive that it could end. */
export const cutOffLifeSeconds = maxLifeSeconds + maxLeewaySeconds + marginSeconds

/** The second in which a cut-off of a list is not needed any more. That of a key always is. */
export function endOfCutOff(number: number): number {
  if (number === forEver) return Number.POSITIVE_INFINITY
  const made = number < finalFrom ? number : number - finalFrom
  return Math.ceil(made / 1000) + cutOffLifeSeconds
}

/** 43 characters. The list has nothing else of a thing, so it tells a reader nothing who lacks the id. */
export function cutOffHash({ kind, id }: RevocationTarget): string {
  return hash('sha256', `${kind}:${id}`, 'base64url')
}

export function isRevokedBy(revocable: Revocable, list: RevocationList): boolean {
  if (list.size === 0) return false
  return placesOf(revocable).some((place) => {
    const number = list.get(cutOffHash(place)) ?? noJournalNumber
    // The holder of a leaked key writes any `as_of`, also one that no number is above. Below NaN is no number either.
    return number === forEver || !(number <= revocable.asOf)
  })
}

/** The subjects by which an entry can revoke it. */
export function placesOf({
  subject,
  repositoryUid,
  ...named
}: Revocable): readonly RevocationTarget[] {
  return [
    { kind: 'all', id: '' },
    { kind: 'key', id: named.kid },
    { kind: 'token', id: named.tokenId },
    { kind: 'hub-token', id: named.hubToken },
    { kind: 'account', id: subject },
    { kind: 'account+repository', id: `${subject}/${repositoryUid}` },
    { kind: 'account+namespace', id: `${subject}/${named.namespace}` },
    { kind: 'namespace', id: named.namespace },
    { kind: 'repository', id: repositoryUid },
    ...named.refUids.map((uid) => ({ kind: 'ref', id: writtenUid(asRefUid(uid)) }) as const),
  ]
}

/** The hash of what is cut, to the number below which a token is dead. */
export type RevocationList = ReadonlyMap<string, number>

const hashBytes = 32
const entryBytes = hashBytes + 8

/** In the order of the hashes, so that the same cut-offs always are the same bytes. */
export function writeRevocationList(list: RevocationList): Buffer {
  const entries = [...list].map(([key, number]) => {
    const entry = Buffer.alloc(entryBytes, key, 'base64url')
    entry.writeBigUInt64BE(BigInt(number), hashBytes)
    return entry
  })
  return Buffer.concat(entries.toSorted(Buffer.compare))
}

/** Undefined unless the bytes are exactly what `writeRevocationList` writes. */
export function readRevocationList(bytes: Uint8Array): RevocationList | undefined {
  if (bytes.length % entryBytes !== 0) return undefined
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const list = new Map<string, JournalNumber>()
  for (let at = 0; at < buffer.length; at += entryBytes) {
    const number = buffer.readBigUInt64BE(at + hashBytes)
    const isAfterLast =
      at === 0 || buffer.compare(buffer, at - entryBytes, at - 8, at, at + hashBytes) > 0
    if (number > Number.MAX_SAFE_INTEGER || !isAfterLast) return undefined
    list.set(buffer.toString('base64url', at, at + hashBytes), Number(number) as JournalNumber)
  }
  return list
}

/** The name under which the list is published. */
export function listHash(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'base64url')
}
