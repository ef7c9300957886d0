/** The published documents: keys, and the revocation list with its head. */

import {
  cutOffHash,
  listHash,
  maxHeadSeconds,
  type RevocationHead,
  type RevocationList,
  readKeySet,
  readRevocationList,
  verifyHead,
} from '@latchkey/token'
import { type Check, type Fault, NotApplicable } from '../check.ts'
import { jsonOf, membersOf } from '../wire/outcome.ts'
import { type HubResponse, type HubTarget, hubTimeOf, send, unlike } from './hub-target.ts'
import { issuedToken, keysPath, publishedKeys, signatureFlaw } from './token-checks.ts'

const profiles = ['verifier'] as const

const headPath = '/.well-known/storage-revocations'
const headKeysPath = '/.well-known/storage-revocation-keys'
const keyPaths = [keysPath, headKeysPath] as const

/** The members of a private or secret JWK. */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** Gates keep keys for so long before they ask again. */
const maxKeysAge = 300

interface PublishedHead {
  readonly response: HubResponse
  /** Unverified. */
  readonly head: Partial<RevocationHead>
}

async function publishedHead(hub: HubTarget): Promise<PublishedHead> {
  const response = await send(hub, { path: headPath })
  if (response.status !== 200) {
    throw new NotApplicable(`GET ${headPath} gets status ${response.status}, and no head`)
  }
  const [, payload = ''] = response.text.split('.')
  const head = membersOf(jsonOf(Buffer.from(payload, 'base64url').toString()))
  return { response, head }
}

async function publishedList(hub: HubTarget, head: Partial<RevocationHead>) {
  return send(hub, { path: `${headPath}/${head.list ?? ''}` })
}

async function keyDocumentFault(hub: HubTarget, path: string): Promise<Fault | undefined> {
  const response = await send(hub, { path })
  if (response.status !== 200) {
    return unlike(response, 'status 200 without a hub token', `status ${response.status}`)
  }
  const keys = await publishedKeys(hub, path)
  const secret = keys.flatMap((key) => privateMembers.filter((name) => name in key))
  if (secret.length > 0) return unlike(response, 'public keys', `the member ${secret.join()}`)
  if (keys.length === 0) return unlike(response, 'at least one key', 'none')
  const control = response.headers['cache-control'] ?? 'none'
  const age = Number(/\bmax-age=(\d+)/.exec(control)?.[1] ?? Number.NaN)
  return age <= maxKeysAge
    ? undefined
    : unlike(response, `a max-age of at most ${maxKeysAge}`, `Cache-Control: ${control}`)
}

function isInList(list: RevocationList, id: string, asOf: number): boolean {
  return (list.get(cutOffHash({ kind: 'token', id })) ?? 0) > asOf
}

const withoutRotation = { skip: 'give --rotate-command to check it' }

export const documentChecks: readonly Check<HubTarget>[] = [
  {
    id: 'public-keys',
    clause: 'Keys / The published document has only public keys and a maximum age',
    profiles,
    title: 'The key documents are public, have no private member and a maximum age',
    async run(hub) {
      for (const path of keyPaths) {
        const fault = await keyDocumentFault(hub, path)
        if (fault !== undefined) return fault
      }
      return undefined
    },
  },
  {
    id: 'key-ids',
    clause: 'Keys / A key has one spelling and one id',
    profiles,
    title: 'Each key is for ES256 or EdDSA, and its kid is its thumbprint (RFC 7638)',
    async run(hub) {
      for (const path of keyPaths) {
        const keys = await publishedKeys(hub, path)
        const isRight = await Promise.all(
          // A private member is the matter of another check.
          keys.map(async ({ d: _, ...key }) => (await readKeySet({ keys: [key] })).size === 1),
        )
        const wrong = keys.find((_, index) => isRight[index] !== true)
        if (wrong !== undefined) {
          const expected = 'an EC P-256 or Ed25519 key with alg, and its thumbprint as kid'
          const got = JSON.stringify({ kty: wrong.kty, alg: wrong['alg'], kid: wrong['kid'] })
          return { expected, got, request: `GET ${path}` }
        }
      }
      return undefined
    },
  },
  {
    id: 'head-signature',
    clause: 'Revocation documents / A published key that signs no tokens signs the head',
    profiles,
    title: 'A key that signs no storage token signs the head, in the name of the same issuer',
    async run(hub) {
      const { response } = await publishedHead(hub)
      const { kid, claims } = await issuedToken(hub)
      const keys = await readKeySet({ keys: await publishedKeys(hub, headKeysPath) })
      const result = await verifyHead(response.text, { keys, issuer: claims.iss ?? '' })
      if (!result.ok) return unlike(response, 'a verified head', result.reason)
      return result.kid === kid
        ? unlike(response, 'a key only for heads', 'the key that signs storage tokens')
        : undefined
    },
  },
  {
    id: 'head-life',
    clause: 'Revocation documents / A head is valid for at most 60 seconds, and is not cached',
    profiles,
    title: 'A head begins now, is valid for at most 60 s, and is not cached',
    async run(hub) {
      const { response, head } = await publishedHead(hub)
      const { iat = 0, exp = 0 } = head
      const life = exp - iat
      if (!(life > 0 && life <= maxHeadSeconds)) {
        return unlike(response, `a life of 1 to ${maxHeadSeconds} s`, `${life} s`)
      }
      const offset = iat - hubTimeOf(response)
      if (Math.abs(offset) > 30) {
        return unlike(response, 'an iat within 30 s of Date', `${offset} s after Date`)
      }
      const control = response.headers['cache-control'] ?? 'none'
      return /\bno-(?:store|cache)\b/.test(control)
        ? undefined
        : unlike(response, 'Cache-Control: no-store', `Cache-Control: ${control}`)
    },
  },
  {
    id: 'list-of-head',
    clause: 'Revocation documents / The list has the hash of the head, and sorted entries',
    profiles,
    title: 'The hub serves the list that the head names',
    async run(hub) {
      const { head } = await publishedHead(hub)
      const response = await publishedList(hub, head)
      if (response.status !== 200) return unlike(response, '200', String(response.status))
      if (listHash(response.bytes) !== head.list) {
        return unlike(response, 'the SHA-256 of the path', 'another document')
      }
      return readRevocationList(response.bytes) === undefined
        ? unlike(response, 'entries of 40 bytes, ascending and unique', 'another form')
        : undefined
    },
  },
  {
    id: 'rotation',
    clause: 'Keys / Key rotation rejects no valid token',
    profiles,
    title: 'After a rotation, the keys of all valid tokens are still published',
    async run(hub) {
      if (hub.rotate === undefined) return withoutRotation
      const before = await issuedToken(hub)
      const old = await publishedKeys(hub, keysPath)
      // Another check reports it.
      if (signatureFlaw(before.token, old) !== undefined) {
        throw new NotApplicable('no published key verifies the token of before')
      }
      await hub.rotate()
      const keys = await publishedKeys(hub, keysPath)
      const isNew = keys.some(({ kid }) => !old.some((key) => key['kid'] === kid))
      if (!isNew) return { expected: 'a new key', got: 'the same keys', request: `GET ${keysPath}` }
      const after = await issuedToken(hub)
      for (const { token, response } of [before, after]) {
        const flaw = signatureFlaw(token, keys)
        if (flaw !== undefined) return unlike(response, 'the signature of a published key', flaw)
      }
      return undefined
    },
  },
  {
    id: 'revoked-token',
    clause: 'Revocation documents / A revoked token is in the next list',
    profiles,
    title: 'The first head after a revocation names a list with the token, and only with it',
    async run(hub) {
      if (hub.revoke === undefined) return { skip: 'give --revoke-command to check it' }
      const [revoked, other] = [await issuedToken(hub), await issuedToken(hub)]
      if (revoked.token === other.token) {
        throw new NotApplicable('the same request returns the same token')
      }
      const before = await publishedHead(hub)
      await hub.revoke(revoked.token)
      const { response, head } = await publishedHead(hub)
      if (!((head.seq ?? 0) > (before.head.seq ?? 0))) {
        return unlike(response, 'a higher seq than before', String(head.seq))
      }
      const list = readRevocationList((await publishedList(hub, head)).bytes)
      if (list === undefined) throw new NotApplicable('the revocation list has another form')
      const isIn = ({ claims }: typeof revoked) =>
        isInList(list, claims.jti ?? '', claims.as_of ?? 0)
      if (!isIn(revoked)) return unlike(response, 'a list with the token', 'a list without it')
      return isIn(other)
        ? unlike(response, 'a list without other tokens', 'another token of the account')
        : undefined
    },
  },
]
