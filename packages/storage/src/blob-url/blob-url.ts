/** URLs that open one run of bytes of one xorb for a short while, for clients that fetch without a token. */

import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import {
  asAccountId,
  asHubTokenId,
  asRefUid,
  isJournalNumber,
  type RefUid,
  type RepositoryUid,
  unixSeconds,
} from '@latchkey/protocol'
import { parseHash } from '@latchkey/xet/format'
import type { BlobBearer, BlobPermit, BlobRun } from './blob-permit.ts'
import type { DayKey, DayKeys } from './day-keys.ts'

/** The query of a URL whose path says repository, ref and xorb. */
export type SignBlob = (run: BlobRun) => string

/** Writes the common part of a bearer's URLs once: a response may have thousands. */
export function blobSigner({ day, key }: DayKey, bearer: BlobBearer): SignBlob {
  const signed = signedOf(bearer, day)
  const common = new URLSearchParams({
    token: bearer.tokenId,
    client: bearer.hubToken,
    by: bearer.subject,
    key: bearer.kid,
    in: bearer.namespace,
    asof: String(bearer.asOf),
    expires: String(bearer.expiresAt),
    day: String(day),
  }).toString()
  return (run) => {
    const { from, start, end } = run
    const signature = signatureOf(key, signed, run)
    return `of=${encodeURIComponent(from)}&bytes=${start}-${end}&${common}&signature=${signature}`
  }
}

/** The values in the path of a request. */
export interface BlobPath {
  readonly repositoryUid: RepositoryUid
  readonly refUid: RefUid
  readonly hash: string
}

/**
 * The permit in a query, if this storage signed it. The caller checks whether it has expired or is
 * revoked.
 */
export function readBlobUrl(
  keys: Pick<DayKeys, 'of'>,
  path: BlobPath,
  query: string,
): BlobPermit | undefined {
  const parameters = new URLSearchParams(query)
  const permit = permitIn(path, parameters)
  const day = numberIn(parameters, 'day')
  const key = day === undefined ? undefined : keys.of(day)
  if (permit === undefined || day === undefined || key === undefined) return undefined
  const signature = signatureOf(key, signedOf(permit, day), permit)
  return isEqual(parameters.get('signature') ?? '', signature) ? permit : undefined
}

/** The values of a query, before any of them is verified. */
function permitIn(path: BlobPath, parameters: URLSearchParams): BlobPermit | undefined {
  const { repositoryUid, refUid } = path
  const word = (name: string) => parameters.get(name) ?? ''
  const xorb = parseHash(path.hash)
  const [, start, end] = /^(\d{1,15})-(\d{1,15})$/.exec(word('bytes')) ?? []
  const [expires, asOf] = [numberIn(parameters, 'expires'), numberIn(parameters, 'asof')]
  if (xorb === undefined || start === undefined || expires === undefined) return undefined
  if (!isJournalNumber(asOf)) return undefined
  const from = asRefUid(word('of'))
  return {
    ...{ repositoryUid, refUid, from, refUids: [refUid, from] },
    ...{ xorb, start: Number(start), end: Number(end) },
    tokenId: word('token'),
    hubToken: asHubTokenId(word('client')),
    subject: asAccountId(word('by')),
    kid: word('key'),
    namespace: word('in'),
    asOf,
    expiresAt: unixSeconds(expires),
  }
}

function numberIn(parameters: URLSearchParams, name: string): number | undefined {
  const [digits] = /^\d{1,16}$/.exec(parameters.get(name) ?? '') ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** As JSON no field can run into the next one. */
function signedOf(bearer: BlobBearer, day: number): string {
  const { repositoryUid, refUid, tokenId, hubToken, subject, kid, namespace } = bearer
  const named = [repositoryUid, refUid, tokenId, hubToken, subject, kid, namespace]
  return JSON.stringify(['GET', day, ...named, bearer.asOf, bearer.expiresAt])
}

function signatureOf(key: KeyObject, signed: string, { from, xorb, start, end }: BlobRun): string {
  const run = JSON.stringify([from, xorb, start, end])
  return createHmac('sha256', key)
    .update(signed + run)
    .digest('base64url')
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
