/** The documents about revoked tokens that a hub publishes, written and signed by a test. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type JournalNumber, journalNumber, unixSeconds } from '@latchkey/protocol'
import {
  cutOffHash,
  type Jwks,
  listHash,
  maxHeadSeconds,
  type RevocationHead,
  type RevocationList,
  type RevocationTarget,
  writeRevocationList,
} from '@latchkey/token'
import { jwksOf, type SigningKey, signHead } from '@latchkey/token/signing'

export interface PublishedRevocationsOptions {
  /** In Unix seconds. */
  readonly clock: () => number
  readonly issuer: string
  /** Signs heads, and never tokens. */
  readonly key: SigningKey
  /**
   * The same clock in finer parts, which journal numbers count.
   *
   * @default () => clock() * 1000
   */
  readonly milliseconds?: () => number
  /**
   * How long a gate may use a head, in seconds.
   *
   * @default 60
   */
  readonly listSeconds?: number
}

export interface PublishedRevocations {
  /** The number of the last entry. */
  number(): JournalNumber
  /** Cuts tokens off that were decided before this moment, or before another number; gives the number. */
  cut(target: RevocationTarget, number?: JournalNumber): JournalNumber
  /** Loses the cut-off, as a hub does whose database was rolled back, and appends an entry. */
  lose(target: RevocationTarget): void
  /** Appends so many entries to the journal that cut nothing. */
  advance(by?: number): JournalNumber
  /** The cut-offs of now. */
  entries(): RevocationList
  /** The head of now, with the changes of a test. */
  head(change?: Partial<RevocationHead>, key?: SigningKey): string
  /** The bytes of a list that a head has named. */
  list(hash: string): Buffer | undefined
  keys(): Jwks
  /** The keys that are published from now on; the first signs. */
  useKeys(...keys: readonly [SigningKey, ...SigningKey[]]): void
  /** The hub has this URL from now on. */
  useIssuer(url: string): void
  /** Answers at the hub's three paths, each time with another head; false for any other path. */
  answer(request: IncomingMessage, response: ServerResponse): boolean
}

const path = '/.well-known/storage-revocations'
const keysPath = '/.well-known/storage-revocation-keys'

export function publishedRevocations({
  clock,
  issuer,
  key: firstKey,
  milliseconds = () => clock() * 1000,
  listSeconds = maxHeadSeconds,
}: PublishedRevocationsOptions): PublishedRevocations {
  const cutOffs = new Map<string, JournalNumber>()
  const lists = new Map<string, Buffer>()
  let seq = journalNumber(milliseconds())
  let keys: readonly [SigningKey, ...SigningKey[]] = [firstKey]
  let iss = issuer
  const advance = (by = 1) => {
    seq = journalNumber(Math.max(seq + by, milliseconds()))
    return seq
  }
  const head: PublishedRevocations['head'] = (change = {}, key = keys[0]) => {
    const bytes = writeRevocationList(cutOffs)
    const [name, iat] = [listHash(bytes), unixSeconds(clock())]
    lists.set(name, bytes)
    const plain = { iss, seq, list: name, iat, exp: iat + listSeconds }
    return signHead({ ...plain, ...change }, key)
  }
  return {
    number: () => seq,
    advance,
    entries: () => new Map(cutOffs),
    list: (hash) => lists.get(hash),
    head,
    cut(target, beforeNumber) {
      const entry = advance()
      const number = beforeNumber ?? entry
      cutOffs.set(cutOffHash(target), number)
      return number
    },
    lose(target) {
      cutOffs.delete(cutOffHash(target))
      advance()
    },
    keys: () => jwksOf(keys),
    useKeys(...newKeys) {
      keys = newKeys
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
