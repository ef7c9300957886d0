import { expect, it } from 'vitest'
import {
  collectAtRest,
  collectGarbage,
  restingCpuMs,
  worthwhileCpuMs,
} from '../../src/serve/collect-at-rest.ts'

/** Gives, for each period and the CPU time that was used in it, how many collections there have been by its end. */
function collectionsIn(periods: readonly number[]): readonly number[] {
  let [cpuMs, collections] = [100, 0]
  let look = () => {}
  collectAtRest({
    cpuMs: () => cpuMs,
    collect() {
      collections += 1
      cpuMs += 40
    },
    timers: {
      after(_, act) {
        look = act
        return () => {}
      },
    },
  })
  return periods.map((used) => {
    cpuMs += used
    look()
    return collections
  })
}

const rest = restingCpuMs - 1

it('a hub that works is left alone, and one that rests afterwards is collected once', () => {
  expect(collectionsIn([5000, 4000, rest, rest, 0, 0])).toEqual([0, 0, 1, 1, 1, 1])
})

it('every load is followed by its own collection', () => {
  expect(collectionsIn([5000, 0, 3000, 0, 0])).toEqual([0, 1, 1, 2, 2])
})

it('a hub that has done next to nothing is never collected', () => {
  expect(collectionsIn([worthwhileCpuMs - 1 - rest, rest, 0])).toEqual([0, 0, 0])
  expect(collectionsIn([worthwhileCpuMs, 0])).toEqual([0, 1])
})

it('a little work each period is no rest', () => {
  expect(collectionsIn(Array(30).fill(restingCpuMs)).at(-1)).toBe(0)
})

it('a collection takes what nothing refers to, and leaves no collector for other code', async () => {
  const garbage = new WeakRef({ text: 'no longer needed' })
  // What a WeakRef was made with is kept until the turn ends.
  await new Promise((resolve) => setImmediate(resolve))
  collectGarbage()
  expect(garbage.deref()).toBeUndefined()
  expect('gc' in globalThis).toBe(false)
})
