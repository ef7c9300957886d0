import { createSecretKey } from 'node:crypto'
import {
  asAccountId,
  asHubTokenId,
  asRefUid,
  asRepositoryUid,
  journalNumber,
  unixSeconds,
} from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BlobPermit } from '../../src/blob-url/blob-permit.ts'
import { blobSigner, readBlobUrl } from '../../src/blob-url/blob-url.ts'
import { dayKeys } from '../../src/blob-url/day-keys.ts'

const keysOf = (byte: number) => {
  const root = createSecretKey(Buffer.alloc(32, byte))
  return dayKeys({ current: () => root, freshen: async () => {} }, () => unixSeconds(1_799_999_800))
}
const keys = keysOf(1)

const permit: BlobPermit = {
  repositoryUid: asRepositoryUid('repository'),
  refUid: asRefUid('own'),
  from: asRefUid('ref'),
  refUids: [asRefUid('own'), asRefUid('ref')],
  xorb: 'ab'.repeat(32) as Hash,
  start: 100,
  end: 199,
  tokenId: 'token',
  hubToken: asHubTokenId('hub token'),
  subject: asAccountId('account'),
  kid: 'key',
  namespace: 'acme',
  asOf: journalNumber(1_799_999_000_000),
  expiresAt: unixSeconds(1_800_000_000),
}

const sign = (what: BlobPermit) => blobSigner(keys.today(), what)(what)

/** What a query permits at the path of a permit. */
function read(query: string, { repositoryUid, refUid, xorb }: BlobPermit = permit) {
  return readBlobUrl(keys, { repositoryUid, refUid, hash: xorb }, query)
}

describe('a blob URL', () => {
  it.each([
    ['of', 'other'],
    ['bytes', '100-200'],
    ['bytes', '99-199'],
    ['bytes', '100-199-'],
    ['token', 'other'],
    ['by', 'other'],
    ['client', 'other'],
    ['key', 'other'],
    ['in', 'other'],
    ['asof', '1799999000001'],
    ['asof', '99999999999999999'],
    ['asof', '9999999999999999'],
    ['day', '20832'],
    ['day', '20834'],
    ['expires', '1800000001'],
    ['expires', '1800000000.5'],
    ['signature', ''],
    ['signature', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  ])('permits nothing with another %s (%j)', (name, value) => {
    const query = new URLSearchParams(sign(permit))
    query.set(name, value)
    expect(read(query.toString())).toBeUndefined()
  })

  it('permits nothing for another repository, ref or xorb, or under another root', () => {
    const query = sign(permit)
    expect(read(query, { ...permit, repositoryUid: asRepositoryUid('other') })).toBeUndefined()
    expect(read(query, { ...permit, refUid: asRefUid('other') })).toBeUndefined()
    expect(read(query, { ...permit, xorb: 'cd'.repeat(32) as Hash })).toBeUndefined()
    const path = { ...permit, hash: permit.xorb }
    expect(readBlobUrl(keysOf(2), path, query)).toBeUndefined()
  })

  it('permits nothing with any one character changed', () => {
    const query = sign(permit)
    fc.assert(
      fc.property(
        fc.nat(query.length - 1),
        fc.constantFrom('a', 'B', '0', '-', '&'),
        (at, other) => {
          fc.pre(query.charAt(at) !== other)
          const changed = query.slice(0, at) + other + query.slice(at + 1)
          expect(read(changed)).toBeUndefined()
        },
      ),
    )
  })

  it('permits what was signed', () => {
    expect(read(sign(permit))).toEqual(permit)
  })

  it('never takes one permit for another', () => {
    const words = fc.string({ maxLength: 8 })
    const permits = fc
      .record({
        from: words.map(asRefUid),
        tokenId: words,
        hubToken: words.map(asHubTokenId),
        subject: words.map(asAccountId),
        kid: words,
        namespace: words,
      })
      .map((some) => ({ ...permit, ...some, refUids: [permit.refUid, some.from] }))
    fc.assert(
      fc.property(permits, permits, (one, other) => {
        const back = read(sign(one))
        expect(back).toEqual(one)
        if (JSON.stringify(one) !== JSON.stringify(other)) expect(back).not.toEqual(other)
      }),
    )
  })
})
