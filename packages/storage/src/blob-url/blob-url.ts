/** URLs that open one run of bytes of one xorb for a short while, for clients that fetch without a token. */

import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import {
  type AccountId,
  asAccountId,
  asRefUid,
  type RefUid,
  type RepositoryUid,
  type Secret,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import { type Hash, parseHash } from '@latchkey/xet/format'

/** Everything that the signature covers. */
export interface BlobPermit {
  readonly repositoryUid: RepositoryUid
  /** The ref whose row opens the xorb. */
  readonly refUid: RefUid
  readonly xorb: Hash
  /** The bytes that may be asked for, the last one included. */
  readonly start: number
  readonly end: number
  readonly tokenId: string
  readonly subject: AccountId
  readonly expiresAt: UnixSeconds
}

export const longestBlobSeconds = 300

export interface BlobUrls {
  /** The query of a URL whose path says repository and xorb. */
  sign(permit: BlobPermit): string
  /** What a query permits, if we signed it; whether it is over is for the caller to judge. */
  read(repositoryUid: RepositoryUid, hash: string, query: string): BlobPermit | undefined
}

/** Can be copied to a thread, and is not printed either. */
export function signingKey(secret: Secret<'blob-url-key'>): KeyObject {
  return createSecretKey(secret.reveal(), 'base64')
}

export function blobUrls(key: KeyObject): BlobUrls {
  return {
    sign(permit) {
      const { refUid, start, end, tokenId, subject, expiresAt } = permit
      const query = new URLSearchParams({
        of: refUid,
        bytes: `${start}-${end}`,
        token: tokenId,
        by: subject,
        expires: String(expiresAt),
        signature: signatureOf(permit, key),
      })
      return query.toString()
    },
    read(repositoryUid, hash, query) {
      const given = new URLSearchParams(query)
      const permit = permitIn(repositoryUid, hash, given)
      if (permit === undefined) return undefined
      return isEqual(given.get('signature') ?? '', signatureOf(permit, key)) ? permit : undefined
    },
  }
}

/** What a query says, before anything is believed. */
function permitIn(
  repositoryUid: RepositoryUid,
  hash: string,
  given: URLSearchParams,
): BlobPermit | undefined {
  const word = (name: string) => given.get(name) ?? ''
  const xorb = parseHash(hash)
  const [, start, end] = /^(\d{1,15})-(\d{1,15})$/.exec(word('bytes')) ?? []
  const [expires] = /^\d{1,15}$/.exec(word('expires')) ?? []
  if (xorb === undefined || start === undefined || expires === undefined) return undefined
  return {
    repositoryUid,
    refUid: asRefUid(word('of')),
    xorb,
    start: Number(start),
    end: Number(end),
    tokenId: word('token'),
    subject: asAccountId(word('by')),
    expiresAt: unixSeconds(Number(expires)),
  }
}

function signatureOf(permit: BlobPermit, key: KeyObject): string {
  const { repositoryUid, refUid, xorb, start, end, tokenId, subject, expiresAt } = permit
  // As JSON no field can run into the next one.
  const signed = ['GET', repositoryUid, refUid, xorb, start, end, tokenId, subject, expiresAt]
  return createHmac('sha256', key).update(JSON.stringify(signed)).digest('base64url')
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
