/** What a hub publishes about revoked tokens, written by the test and signed under a key made for this run. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Clock, type JournalNumber, journalNumber, unixSeconds } from '@latchkey/protocol'
import {
  cutOffHash,
  type Jwks,
  listHash,
  type RevocationHead,
  type RevocationTarget,
  writeRevocationList,
} from '@latchkey/token'
import { generateSigningKey, jwksOf, type SigningKey, signHead } from '@latchkey/token/signing'
import { issuer, movedClock } from './storage-tokens.ts'

/** Signs heads, and never tokens. */
export const headKey: SigningKey = await generateSigningKey('ES256')

export interface PublishedRevocations {
  /** Cuts tokens off that were decided before this moment, or before another number; gives the number. */
  cut(place: RevocationTarget, number?: JournalNumber): JournalNumber
  /** Loses the cut-off, as a hub does whose database was rolled back, and appends an entry. */
  lose(place: RevocationTarget): void
  /** Appends so many entries to the journal that cut nothing. */
  advance(by?: number): JournalNumber
  /** The head of now, with what the test changes of it. */
  head(change?: Partial<RevocationHead>, key?: SigningKey): string
  /** The bytes of a list that a head has named. */
  list(hash: string): Buffer | undefined
  keys(): Jwks
  /** The keys that are published from now on; the first signs. */
  useKeys(...keys: readonly [SigningKey, ...SigningKey[]]): void
  /** What the hub calls itself from now on. */
  useIssuer(url: string): void
  /** Answers at the hub's three paths, each time with another head; false for any other path. */
  answer(request: IncomingMessage, response: ServerResponse): boolean
}

const path = '/.well-known/storage-revocations'
const keysPath = '/.well-known/storage-revocation-keys'

export function publishedRevocations(clock: Clock = movedClock().now): PublishedRevocations {
  const cutOffs = new Map<string, JournalNumber>()
  const lists = new Map<string, Buffer>()
  let seq = journalNumber(clock() * 1000)
  let keys: readonly [SigningKey, ...SigningKey[]] = [headKey]
  let iss = issuer
  const advance = (by = 1) => {
    seq = journalNumber(Math.max(seq + by, clock() * 1000))
    return seq
  }
  const head: PublishedRevocations['head'] = (change = {}, key = keys[0]) => {
    const bytes = writeRevocationList(cutOffs)
    const [name, iat] = [listHash(bytes), clock()]
    lists.set(name, bytes)
    const plain = { iss, seq, list: name, iat, exp: unixSeconds(iat + 60) }
    return signHead({ ...plain, ...change }, key)
  }
  return {
    advance,
    list: (hash) => lists.get(hash),
    head,
    cut(place, given) {
      const entry = advance()
      const number = given ?? entry
      cutOffs.set(cutOffHash(place), number)
      return number
    },
    lose(place) {
      cutOffs.delete(cutOffHash(place))
      advance()
    },
    keys: () => jwksOf(keys),
    useKeys(...given) {
      keys = given
    },
    useIssuer(url) {
      iss = url
    },
    answer({ url = '' }, response) {
      // A clock that stands still would let a gate outlive the same head.
      if (url === path) send(response, 'application/jwt', head({ seq: advance() }))
      else if (url === keysPath) {
        send(response, 'application/json', JSON.stringify(jwksOf(keys)))
      } else if (url.startsWith(`${path}/`)) {
        send(response, 'application/octet-stream', lists.get(url.slice(path.length + 1)))
      } else return false
      return true
    },
  }
}

function send(response: ServerResponse, type: string, body: string | Buffer | undefined): void {
  response.writeHead(body === undefined ? 404 : 200, { 'Content-Type': type })
  response.end(body)
}
