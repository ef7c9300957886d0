/** Callers share a run, and none is served by a run that had begun before it called. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { oneInFlight } from '../../src/limits/turns.ts'

type Step =
  | { readonly does: 'call' }
  | { readonly does: 'end'; readonly isFailure: boolean }
  | { readonly does: 'pass'; readonly microtasks: number }

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ does: fc.constant('call' as const) }),
    fc.record({ does: fc.constant('end' as const), isFailure: fc.boolean() }),
    fc.record({ does: fc.constant('pass' as const), microtasks: fc.nat(6) }),
  ),
  { maxLength: 40 },
)

interface Run {
  readonly beganAt: number
  readonly end: PromiseWithResolvers<Run>
}

async function play(history: readonly Step[]): Promise<void> {
  const runs: Run[] = []
  let now = 0
  let [running, maxRunning] = [0, 0]
  const call = oneInFlight(async () => {
    now += 1
    running += 1
    maxRunning = Math.max(maxRunning, running)
    const run: Run = { beganAt: now, end: Promise.withResolvers() }
    runs.push(run)
    try {
      return await run.end.promise
    } finally {
      running -= 1
    }
  })
  const callers: Promise<void>[] = []
  const end = (isFailure: boolean) => {
    for (const run of runs) {
      if (isFailure) run.end.reject(run)
      else run.end.resolve(run)
    }
  }
  for (const step of history) {
    now += 1
    if (step.does === 'call') callers.push(expectFresh(now, call()))
    else if (step.does === 'end') end(step.isFailure)
    else for (let count = 0; count < step.microtasks; count += 1) await Promise.resolve()
  }
  const all = Promise.all(callers)
  let isOver = callers.length === 0
  void all.finally(() => {
    isOver = true
  })
  while (!isOver) {
    end(false)
    await Promise.resolve()
  }
  await all
  expect(maxRunning).toBeLessThanOrEqual(1)
  expect(runs.length).toBeLessThanOrEqual(callers.length)
}

/** A failed run rejects with itself. */
async function expectFresh(calledAt: number, served: Promise<Run>): Promise<void> {
  const { beganAt } = await served.catch((run: Run) => run)
  expect(beganAt).toBeGreaterThan(calledAt)
}

test('at most one runs, and each caller is served by a run that began after its call', async () => {
  await fc.assert(fc.asyncProperty(steps, play), { numRuns: 2000 })
})

test('callers that come during a run share the next one, whether the run fails or not', async () => {
  for (const isFailure of [false, true]) {
    const ends: PromiseWithResolvers<number>[] = []
    const call = oneInFlight(() => {
      const end = Promise.withResolvers<number>()
      ends.push(end)
      return end.promise
    })
    const first = call()
    const later = [call(), call(), call()]
    if (isFailure) ends[0]?.reject(new Error('failed'))
    else ends[0]?.resolve(1)
    if (isFailure) await expect(first).rejects.toThrow('failed')
    else expect(await first).toBe(1)
    await expect.poll(() => ends.length).toBe(2)
    ends[1]?.resolve(2)
    expect(await Promise.all(later)).toEqual([2, 2, 2])
    expect(ends).toHaveLength(2)
  }
})
