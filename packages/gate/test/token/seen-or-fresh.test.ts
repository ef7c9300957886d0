/** What a gate remembers of tokens changes no answer: another gate that has seen none of them says the same. */

import { unixSeconds } from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import { memoryRevocations } from '@latchkey/testing/gate/published-revocations'
import {
  bearer,
  casUrl,
  issuer,
  keys,
  movedClock,
  prefix,
  startOfTime,
  token,
} from '@latchkey/testing/gate/storage-tokens'
import { type KeySet, type RevocationTarget, readKeySet } from '@latchkey/token'
import { generateSigningKey, jwksOf } from '@latchkey/token/signing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createGate } from '../../src/check/create-gate.ts'
import { readPath, writePath } from '../check/ask.ts'

const newKey = await generateSigningKey('ES256')
const newKeys = await readKeySet(jwksOf([newKey]))
const keySets: readonly KeySet[] = [keys, newKeys, new Map([...keys, ...newKeys])]

const inAnHour = unixSeconds(startOfTime + 3600)
const right = bearer()
const credentials = [
  ...[right, right, right],
  right.replace('Bearer', 'bearer'),
  `${right.slice(0, -8)}AAAAAAAA`,
  bearer({ scope: 'write', jti: 'writing' }),
  bearer({ jti: 'of-the-future', iat: unixSeconds(startOfTime + 60), exp: inAnHour }),
  `Bearer ${token({ jti: 'new-key', exp: inAnHour }, newKey)}`,
  bearer({ aud: 'https://other.example' }),
]

const ask = fc.record({
  kind: fc.constant('ask' as const),
  method: fc.constantFrom('GET', 'GET', 'POST'),
  target: fc.constantFrom(
    readPath,
    readPath,
    writePath,
    `${prefix.replace('bertuid', 'otheruid')}/v1/x`,
  ),
  sent: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...credentials).map((one) => [one]) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(...credentials), { maxLength: 2 }) },
  ),
})
const pass = fc.record({
  kind: fc.constant('pass' as const),
  seconds: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: -100, max: 100 }) },
    { weight: 1, arbitrary: fc.constantFrom(-900, 900, 929, 930) },
  ),
})
const useKeys = fc.record({
  kind: fc.constant('keys' as const),
  keys: fc.constantFrom(...keySets),
})
const places: readonly RevocationTarget[] = [
  { kind: 'token', id: 'token-id' },
  { kind: 'account', id: 'ada-id' },
  { kind: 'repository', id: 'bertuid' },
]
const cut = fc.record({ kind: fc.constant('cut' as const), place: fc.constantFrom(...places) })
const step = fc.oneof(
  { weight: 20, arbitrary: ask },
  { weight: 3, arbitrary: pass },
  { weight: 2, arbitrary: useKeys },
  { weight: 1, arbitrary: cut },
)

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never
const asked: Step = { kind: 'ask', method: 'GET', target: readPath, sent: [right] }
/** Each ends a token that was let in before. Chance alone would leave one out now and then. */
const endings: readonly Step[] = [
  { kind: 'pass', seconds: 930 },
  { kind: 'pass', seconds: -900 },
  { kind: 'cut', place: { kind: 'account', id: 'ada-id' } },
  { kind: 'keys', keys: newKeys },
]
const examples = endings.map((ending): [Step[]] => [[asked, ending, asked]])

test('a remembered token gets the answer of a fresh check, whatever happens to clock, keys and revocations', async () => {
  let admittedAgain = 0
  const refused = new Set<string | undefined>()
  const history = fc.array(step, { minLength: 20, maxLength: 40 })
  const property = fc.asyncProperty(history, async (steps) => {
    const clock = movedClock()
    const revocations = memoryRevocations()
    await revocations.refresh()
    let known = keySets[0]
    const options = {
      ...{ issuer, casUrl, revocations, clock: clock.now },
      keys: { known: () => known, refresh: async () => true },
    }
    const remembering = createGate(options)
    const seen = new Set<string | undefined>()
    for (const each of steps) {
      if (each.kind === 'pass') clock.pass(each.seconds)
      else if (each.kind === 'keys') known = each.keys
      else if (each.kind === 'cut') {
        revocations.cut(each.place)
        await revocations.refresh()
      } else {
        const headers = each.sent.flatMap((value) => ['Authorization', value])
        const request = { method: each.method, target: each.target, headers }
        const answer = await remembering.check(request)
        expect(answer).toEqual(await createGate(options).check(request))
        const [first] = each.sent
        if (answer.ok && seen.has(first)) admittedAgain += 1
        if (answer.ok) seen.add(first)
        else if (seen.has(first)) refused.add(answer.refusal.reason)
      }
    }
  })
  await fc.assert(property, { numRuns: rounds(50, 5000), examples })
  // Otherwise the property says little.
  expect(admittedAgain).toBeGreaterThan(8)
  for (const reason of ['expired', 'not_yet_issued', 'revoked', 'unknown_key']) {
    expect(refused).toContain(reason)
  }
})
