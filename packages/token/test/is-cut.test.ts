/** A token is dead when it was decided before the number of anything that it names. */

import { asRefUid, journalNumber } from '@latchkey/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  cutOffHash,
  cutOffKinds,
  isCut,
  type Revocable,
  type RevocationList,
} from '../src/index.ts'
import { claims } from './forge.ts'

const revocable: Revocable = {
  kid: 'kid',
  tokenId: 'jti',
  hubToken: claims.client_id,
  subject: claims.sub,
  repositoryUid: claims.repo.uid,
  namespace: 'acme',
  refUids: [claims.ref.uid, asRefUid('seen-uid')],
  asOf: journalNumber(1000),
}

const named = {
  all: [''],
  key: ['kid'],
  token: ['jti'],
  'hub-token': ['hub-token'],
  account: ['account'],
  'account+repository': ['account/repo-uid'],
  'account+namespace': ['account/acme'],
  repository: ['repo-uid'],
  ref: ['ref-uid', 'seen-uid'],
} as const

const cutting = (kind: (typeof cutOffKinds)[number], id: string, number: number): RevocationList =>
  new Map([[cutOffHash({ kind, id }), journalNumber(number)]])

test.each(cutOffKinds)(
  '%s: below the number dead, at it alive, and untouched by any other id',
  (kind) => {
    for (const id of named[kind]) {
      expect(isCut(revocable, cutting(kind, id, 1001))).toBe(true)
      expect(isCut(revocable, cutting(kind, id, 1000))).toBe(false)
      expect(isCut(revocable, cutting(kind, `${id}x`, 1001))).toBe(false)
    }
  },
)

test('nothing else in a list ends a token, and no further entry brings it back', () => {
  const ids = Object.values(named).flat()
  const place = fc.record({ kind: fc.constantFrom(...cutOffKinds), id: fc.constantFrom(...ids) })
  fc.assert(
    fc.property(fc.array(fc.tuple(place, fc.integer({ min: 998, max: 1002 }))), (entries) => {
      const list = new Map(entries.map(([at, number]) => [cutOffHash(at), journalNumber(number)]))
      const hits = [...list].some(
        ([hash, number]) =>
          number > 1000 &&
          cutOffKinds.some((kind) => named[kind].some((id) => cutOffHash({ kind, id }) === hash)),
      )
      expect(isCut(revocable, list)).toBe(hits)
    }),
  )
})
