/** Whatever happens to the clocks, the hub and the callers: no expired token is sent, and the hub is not flooded. */

import { rounds } from '@latchkey/testing/chance'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { movedClock, settle } from '../moved-clock.ts'
import { type Answer, openWorld, refusal, type World } from '../world.ts'

type Step =
  | { readonly kind: 'call'; readonly callers: number; readonly write: boolean }
  | { readonly kind: 'pass' | 'sleep' | 'set'; readonly seconds: number }
  | { readonly kind: 'hub'; readonly does: 'answer' | 'take its time' | 'fail' | 'vanish' }
  | { readonly kind: 'life'; readonly seconds: number }

/** From seconds to a day, each order of magnitude as likely. */
const span = (from: number, to: number) =>
  fc.double({ min: Math.log(from), max: Math.log(to), noNaN: true }).map((power) => Math.exp(power))
const life = span(2, 86_400).map(Math.round)

const calls = fc.record({
  kind: fc.constant('call' as const),
  callers: fc.integer({ min: 1, max: 5 }),
  write: fc.boolean(),
})
const passes = fc.record({ kind: fc.constant('pass' as const), seconds: span(0.01, 3600) })
const sleeps = fc.record({ kind: fc.constant('sleep' as const), seconds: span(1, 86_400) })
const sets = fc.record({
  kind: fc.constant('set' as const),
  seconds: fc.integer({ min: -600, max: 600 }),
})
const lives = fc.record({ kind: fc.constant('life' as const), seconds: life })
const moods = fc.record({
  kind: fc.constant('hub' as const),
  does: fc.constantFrom('answer', 'take its time', 'fail', 'vanish'),
})

/** A machine that sleeps while its clock is set back cannot know how long it slept. */
const schedules = (...kinds: fc.Arbitrary<Step>[]) =>
  fc
    .constantFrom(sleeps, sets)
    .chain((jumps) =>
      fc.array(fc.oneof(calls, calls, passes, passes, jumps, ...kinds), { maxLength: 60 }),
    )

interface Watched {
  readonly world: World
  /** The most token requests of one scope that were under way at once. */
  atOnce: number
  /** How the calls ended that have. */
  readonly ended: unknown[]
  mood: Extract<Step, { kind: 'hub' }>['does']
}

function watch(skewSeconds: number): Watched {
  const world = openWorld({ clock: movedClock({ skewSeconds }) })
  const watched: Watched = { world, atOnce: 0, ended: [], mood: 'answer' }
  const underWay = { read: 0, write: 0 }
  const answer = async (): Promise<Answer> => {
    if (watched.mood === 'fail') return refusal(503)
    if (watched.mood === 'vanish') return new TypeError('fetch failed')
    return watched.mood === 'answer' ? undefined : world.clock.after(3.3)
  }
  world.hub = async ({ url }) => {
    const scope = url.includes('-write-') ? 'write' : 'read'
    underWay[scope] += 1
    watched.atOnce = Math.max(watched.atOnce, underWay[scope])
    const answered = await answer()
    underWay[scope] -= 1
    return answered
  }
  return watched
}

async function run(watched: Watched, steps: readonly Step[]): Promise<void> {
  const { world } = watched
  const client = world.client()
  const call = (write: boolean) =>
    client
      .fetch('/v1/shards', { method: write ? 'POST' : 'GET' })
      .then(({ status }) => status)
      .catch(({ code }) => code)
      .then((end) => watched.ended.push(end))
  for (const step of steps) {
    if (step.kind === 'call') for (let n = 0; n < step.callers; n += 1) call(step.write)
    if (step.kind === 'pass') await world.clock.pass(step.seconds)
    if (step.kind === 'sleep') world.clock.sleep(step.seconds)
    if (step.kind === 'set') world.clock.set(step.seconds)
    if (step.kind === 'hub') watched.mood = step.does
    if (step.kind === 'life') world.lifetimeSeconds = step.seconds
    await settle()
  }
  await world.clock.pass(120)
}

const sum = (steps: readonly Step[], of: (step: Step) => number) =>
  steps.reduce((total, step) => total + of(step), 0)
const callersOf = (step: Step) => (step.kind === 'call' ? step.callers : 0)

describe('whatever happens to clocks, hub and callers', () => {
  const skew = fc.integer({ min: -600, max: 600 })

  // conformance: Guarantees / The client sends no expired token, and one request for all callers
  // conformance: Client flow / 3. The client uses a token until exp
  it('no expired token is sent, one request is under way for a scope, and every call ends', async () => {
    await fc.assert(
      fc.asyncProperty(skew, schedules(moods, lives), async (skewSeconds, steps) => {
        const watched = watch(skewSeconds)
        await run(watched, steps)
        expect(watched.world.refused).toEqual([])
        expect(watched.atOnce).toBeLessThanOrEqual(1)
        expect(watched.ended).toHaveLength(sum(steps, callersOf))
        for (const end of watched.ended)
          expect([200, 'hub_unreachable', 'internal_error']).toContain(end)
      }),
      { numRuns: rounds(80, 3000) },
    )
  })

  // conformance: Client / An unused client stops refreshing
  it('a hub that answers is asked once a life, once a jump of the clock, and loses no request', async () => {
    await fc.assert(
      fc.asyncProperty(skew, life, schedules(), async (skewSeconds, lifeSeconds, steps) => {
        const watched = watch(skewSeconds)
        watched.world.lifetimeSeconds = lifeSeconds
        await run(watched, steps)
        const goneSeconds = 120 + sum(steps, (step) => (step.kind === 'pass' ? step.seconds : 0))
        const jumps = sum(steps, ({ kind }) => (kind === 'sleep' || kind === 'set' ? 1 : 0))
        // Half of a life, less a tenth of that, is the earliest refresh; an idle client makes one.
        const refreshes = Math.min(goneSeconds / (lifeSeconds * 0.45), sum(steps, callersOf))
        expect(watched.world.asked.length).toBeLessThanOrEqual(2 * (2 + refreshes * 2 + jumps))
        expect(new Set(watched.ended)).toEqual(new Set(watched.ended.map(() => 200)))
        expect(watched.world.refused).toEqual([])
      }),
      { numRuns: rounds(80, 3000) },
    )
  })

  it('a hub that fails is asked no more often than patience allows', async () => {
    await fc.assert(
      fc.asyncProperty(schedules(lives), async (steps) => {
        const watched = watch(0)
        watched.mood = 'fail'
        await run(watched, steps)
        const chains = sum(steps, ({ kind }) => (kind === 'call' ? 1 : 0))
        // 0.15 s, 0.3 s … 7.5 s: a dozen tries in a minute.
        expect(watched.world.asked.length).toBeLessThanOrEqual(chains * 14)
        expect(watched.world.stored).toEqual([])
      }),
      { numRuns: rounds(30, 1000) },
    )
  })
})
