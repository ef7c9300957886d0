/** Random histories of requests that take shares, give them back, and leave while they wait. */

import { isRefusal } from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Release, type ShareLimits, shares } from '../../src/limits/shares.ts'

type Step =
  | {
      readonly do: 'take'
      readonly account: number
      readonly repository: number
      readonly units: number
    }
  | { readonly do: 'release' | 'leave'; readonly which: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('take' as const),
      // Most requests are those of few accounts.
      account: fc.oneof(fc.nat(2), fc.nat(6)),
      repository: fc.nat(2),
      units: fc.constantFrom(1, 1, 2, 3),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('release' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), which: fc.nat() }) },
)

const limitsOf = fc
  .record({ max: fc.integer({ min: 4, max: 7 }), reserved: fc.nat(2) })
  .chain(({ max, reserved }) =>
    fc.record({
      max: fc.constant(max),
      reserved: fc.constant(reserved),
      maxOfAccount: fc.integer({ min: 1, max }),
      maxOfRepository: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 2, max })),
      maxWaiting: fc.oneof(fc.constant(1000), fc.integer({ min: 1, max: 8 })),
    }),
  )

interface Taken {
  readonly account: string
  readonly repository: string
  readonly units: number
  readonly gone: AbortController
  release?: Release
}

/** Some are networks of anonymous clients. */
const nameOf = (account: number) =>
  account % 3 === 2 ? `anonymous ${account}` : `account ${account}`
const isAnonymous = (account: string) => account.startsWith('anonymous ')
const halfOf = (units: number) => Math.ceil(units / 2)

const settled = () => new Promise((resolve) => setImmediate(resolve))
const sum = (some: Iterable<Taken>) => [...some].reduce((units, one) => units + one.units, 0)

/** Follows every request, and compares each beginning with the rules. */
function followed(
  limits: Required<
    Pick<ShareLimits, 'max' | 'reserved' | 'maxOfAccount' | 'maxOfRepository' | 'maxWaiting'>
  >,
) {
  const held = shares({ ...limits, maxWaitSeconds: Number.POSITIVE_INFINITY })
  const [waiting, holding] = [new Set<Taken>(), new Set<Taken>()]
  const unitsOf = (account: string) => sum([...holding].filter((one) => one.account === account))
  const unitsOfAnonymous = () => sum([...holding].filter((one) => isAnonymous(one.account)))
  const largestOf = (account: string) =>
    Math.min(
      ...[limits.max - limits.reserved, limits.maxOfAccount, limits.maxOfRepository],
      isAnonymous(account) ? halfOf(limits.max) : limits.max,
    )
  const reservedFrom = (account: string) =>
    unitsOf(account) > 0 ? limits.reserved : isAnonymous(account) ? halfOf(limits.reserved) : 0

  /** Only the oldest request of an account in a repository may begin. */
  const isOldest = (one: Taken) =>
    one ===
    [...waiting].find(
      ({ account, repository }) => account === one.account && repository === one.repository,
    )

  const begins = (one: Taken) => {
    waiting.delete(one)
    const own = unitsOf(one.account)
    const isBounded = Number.isFinite(limits.maxOfRepository)
    // Only without limits of repositories it is plain who is next.
    const before = [...waiting].filter(
      (other) =>
        unitsOf(other.account) < own &&
        isOldest(other) &&
        unitsOf(other.account) + other.units <= limits.maxOfAccount &&
        // An anonymous client may wait for others, or for what is reserved.
        (!isAnonymous(other.account) || isAnonymous(one.account)),
    )
    if (!isBounded) expect(before).toEqual([])
    const reserved = reservedFrom(one.account)
    holding.add(one)
    expect(sum(holding)).toBeLessThanOrEqual(limits.max - reserved)
    expect(unitsOfAnonymous()).toBeLessThanOrEqual(halfOf(limits.max))
    expect(unitsOf(one.account)).toBeLessThanOrEqual(limits.maxOfAccount)
    const inRepository = [...holding].filter(({ repository }) => repository === one.repository)
    expect(sum(inRepository)).toBeLessThanOrEqual(limits.maxOfRepository)
  }
  const take = (account: string, repository: string, wanted: number) => {
    const one: Taken = {
      account,
      repository,
      units: Math.min(wanted, largestOf(account)),
      gone: new AbortController(),
    }
    waiting.add(one)
    const failures: unknown[] = []
    const ended = held.take({ account, repositoryUid: repository }, one.gone.signal, wanted).then(
      (release) => {
        if (isRefusal(release)) waiting.delete(one)
        else {
          one.release = release
          begins(one)
        }
      },
      (error) => {
        if (!one.gone.signal.aborted) throw error
        waiting.delete(one)
      },
    )
    ended.catch((error) => failures.push(error))
    return failures
  }
  const release = (one: Taken) => {
    holding.delete(one)
    one.release?.()
  }
  return { held, waiting, holding, take, release, unitsOf }
}

// conformance: Attacks / 37. An attacker uses many repositories to take the capacity of others
test('no limit is ever exceeded, accounts that hold less come first, and nothing is lost', async () => {
  await fc.assert(
    fc.asyncProperty(
      limitsOf,
      fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }),
      async (limits, steps) => {
        const { held, waiting, holding, take, release, unitsOf } = followed(limits)
        const failures: unknown[][] = []
        const pick = (some: ReadonlySet<Taken>, which: number) =>
          [...some][which % (some.size || 1)]
        for (const one of steps) {
          if (one.do === 'take') {
            failures.push(take(nameOf(one.account), `${one.repository}`, one.units))
          } else if (one.do === 'release') {
            const found = pick(holding, one.which)
            if (found !== undefined) release(found)
          } else pick(waiting, one.which)?.gone.abort(new Error('gone'))
          await settled()
          expect(failures.flat()).toEqual([])
          expect([held.held(), held.waiting()]).toEqual([sum(holding), waiting.size])
          expect(waiting.size).toBeLessThanOrEqual(limits.maxWaiting)
          // An account that holds none never waits for one that holds some, nor for anonymous clients.
          const isFree = sum(holding) + 3 <= limits.max && limits.maxOfRepository > limits.max
          const kept = [...waiting].filter(
            ({ account }) => unitsOf(account) === 0 && !isAnonymous(account),
          )
          if (isFree) expect(kept).toEqual([])
        }
        // One by one: a request that begins is compared with those that hold a share at that moment.
        for (let [one] = holding; one !== undefined; [one] = holding) {
          release(one)
          await settled()
        }
        expect(failures.flat()).toEqual([])
        expect([waiting.size, held.waiting(), held.held()]).toEqual([0, 0, 0])
      },
    ),
    { numRuns: rounds(40, 5000) },
  )
})
