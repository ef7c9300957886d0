import { createSecretKey } from 'node:crypto'
import {
  asAccountId,
  asHubTokenId,
  asRefUid,
  asRepositoryUid,
  journalNumber,
  unixSeconds,
} from '@latchkey/protocol'
import { expect, test } from 'vitest'
import type { FoundXorb } from '../../src/catalog/catalog.ts'
import { digestWithin } from '../../src/catalog/scoped-digest.ts'
import type { Digest, ObjectReader } from '../../src/objects/object-store.ts'
import { fetchUrlsOf } from '../../src/reconstructions/fetch-urls.ts'
import { digest, newKey, xorb } from '../catalog/content.ts'

const [repositoryUid, otherUid] = [asRepositoryUid('own'), asRepositoryUid('other')]
const refUid = asRefUid('main')
const bearer = {
  ...{ repositoryUid, refUid, tokenId: 'id', kid: 'key', namespace: 'acme' },
  hubToken: asHubTokenId('client'),
  subject: asAccountId('ada'),
  asOf: journalNumber(1),
  expiresAt: unixSeconds(1_800_000_300),
}
const key = { day: 20_833, key: createSecretKey(Buffer.alloc(32)) }
const casUrl = 'https://cas.example/r/{repo}/{ref}'
const store: Pick<ObjectReader, 'directUrls'> = {
  directUrls: async (seconds) => (object, start, end) =>
    `store ${seconds} ${object} ${start} ${end}`,
}

async function urlFor(objectDigest: Digest, from: Pick<ObjectReader, 'directUrls'> = store) {
  const found: FoundXorb = { ...xorb('a'), key: newKey(), refUid, digest: objectDigest }
  const urlOf = await fetchUrlsOf(from, casUrl)({ key, bearer, directSeconds: 60 })
  const url = urlOf(found, { from: refUid, xorb: found.hash, start: 5, end: 9 })
  return url === `store 60 ${found.key} 5 9` ? 'of the store' : new URL(url).origin
}

test('an object that no other repository can have is fetched from the store', async () => {
  expect(await urlFor(digestWithin(repositoryUid, digest('a')))).toBe('of the store')
})

// conformance: Attacks / 25. An attacker uses deduplication to detect content of others
test.each([
  ['that repositories share', digest('a')],
  ['of another repository', digestWithin(otherUid, digest('a'))],
])('an object %s is fetched from the storage', async (_, objectDigest) => {
  expect(await urlFor(objectDigest)).toBe('https://cas.example')
})

test('every object is fetched from the storage where clients cannot reach the store', async () => {
  expect(await urlFor(digestWithin(repositoryUid, digest('a')), {})).toBe('https://cas.example')
})
