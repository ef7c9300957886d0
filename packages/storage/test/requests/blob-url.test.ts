import { asAccountId, asRefUid, asRepositoryUid, Secret, unixSeconds } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BlobPermit, blobUrls, signingKey } from '../../src/blob-url/blob-url.ts'

const keyOf = (byte: number) =>
  signingKey(new Secret('blob-url-key', Buffer.alloc(32, byte).toString('base64')))
const urls = blobUrls(keyOf(1))

const permit: BlobPermit = {
  repositoryUid: asRepositoryUid('repository'),
  refUid: asRefUid('ref'),
  xorb: 'ab'.repeat(32) as Hash,
  start: 100,
  end: 199,
  tokenId: 'token',
  subject: asAccountId('account'),
  expiresAt: unixSeconds(1_800_000_000),
}

describe('a blob URL', () => {
  it.each([
    ['of', 'other'],
    ['bytes', '100-200'],
    ['bytes', '99-199'],
    ['bytes', '100-199-'],
    ['token', 'other'],
    ['by', 'other'],
    ['expires', '1800000001'],
    ['expires', '1800000000.5'],
    ['signature', ''],
    ['signature', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  ])('permits nothing with another %s (%j)', (name, value) => {
    const query = new URLSearchParams(urls.sign(permit))
    query.set(name, value)
    expect(urls.read(permit.repositoryUid, permit.xorb, query.toString())).toBeUndefined()
  })

  it('permits nothing for another repository or xorb, or under another key', () => {
    const query = urls.sign(permit)
    expect(urls.read(asRepositoryUid('other'), permit.xorb, query)).toBeUndefined()
    expect(urls.read(permit.repositoryUid, 'cd'.repeat(32), query)).toBeUndefined()
    expect(blobUrls(keyOf(2)).read(permit.repositoryUid, permit.xorb, query)).toBeUndefined()
  })

  it('permits nothing with any one character changed', () => {
    const query = urls.sign(permit)
    fc.assert(
      fc.property(
        fc.nat(query.length - 1),
        fc.constantFrom('a', 'B', '0', '-', '&'),
        (at, other) => {
          fc.pre(query.charAt(at) !== other)
          const changed = query.slice(0, at) + other + query.slice(at + 1)
          expect(urls.read(permit.repositoryUid, permit.xorb, changed)).toBeUndefined()
        },
      ),
    )
  })

  it('permits what was signed', () => {
    expect(urls.read(permit.repositoryUid, permit.xorb, urls.sign(permit))).toEqual(permit)
  })

  it('never takes one permit for another', () => {
    const words = fc.string({ maxLength: 8 })
    const permits = fc
      .record({
        refUid: words.map(asRefUid),
        tokenId: words,
        subject: words.map(asAccountId),
      })
      .map((some) => ({
        ...permit,
        ...some,
      }))
    fc.assert(
      fc.property(permits, permits, (one, other) => {
        const read = urls.read(permit.repositoryUid, permit.xorb, urls.sign(one))
        expect(read).toEqual(one)
        if (JSON.stringify(one) !== JSON.stringify(other)) expect(read).not.toEqual(other)
      }),
    )
  })
})
