/** A hundred rotations on a moved clock: no valid token is refused, and no removed key is taken. */

import { type Chance, chance, printedChance, rounds } from '@latchkey/testing/chance'
import { describe, expect, test } from 'vitest'
import { badNetwork, goodNetwork, type Network, startGates } from './gates.ts'
import { rotationSeconds, startHubs } from './hubs.ts'
import { movedTime } from './moved-time.ts'
import { forge, type Judgement, type Traffic, useToken } from './traffic.ts'

const start = 1_800_000_000
const rotations = 100
const tokens = rounds(10_000, 100_000)
const gates = rounds(3, 20)

/** A key signs until a sixth of its life is left. */
const seconds = Math.ceil((rotations * rotationSeconds * 5) / 6) + 3600

/** A signature takes 30 µs and its check 90, so few of them are made unless there is time. */
const signsOneOf = rounds(30, 1)

async function startTraffic(seed: Chance, network: Network): Promise<Traffic> {
  const time = movedTime(start)
  const hubs = await startHubs(time, chance(seed.next() * 2 ** 31))
  const all = startGates(gates, {
    ...{ hubs, time, network },
    chance: chance(seed.next() * 2 ** 31),
  })
  // Every gate has had its first answer before the first token.
  await time.runUntil(start + 120)
  return { hubs, gates: all, time, chance: seed, signsOneOf }
}

interface Amount {
  readonly count: number
  readonly overSeconds: number
}

function everyToken({ time }: Traffic, { count, overSeconds }: Amount, each: () => unknown): void {
  for (let token = 0; token < count; token += 1) {
    time.at(start + 120 + Math.floor((token * overSeconds) / count), each)
  }
}

describe('keys rotate', () => {
  // conformance: Guarantees / Key rotation rejects no valid token
  // conformance: Keys / Key rotation rejects no valid token
  test(`${rotations} times: of ${tokens} tokens at ${gates} gates none is refused, and no forged one is taken`, async () => {
    const traffic = await startTraffic(printedChance('rotation'), badNetwork)
    const { hubs, time } = traffic
    const judged = new Map<Judgement, number>()
    const forged = { tried: 0, takenUnheard: 0, takenHeard: 0, takenLate: 0 }
    everyToken(traffic, { count: tokens, overSeconds: seconds }, () => {
      useToken(traffic, (judgement) => judged.set(judgement, (judged.get(judgement) ?? 0) + 1))
    })
    // An operator who tries a step every few minutes, most of them too early.
    time.every(500, 250, () =>
      hubs.byHand(traffic.chance.next() < 0.1 ? 'rotate' : 'retire', false),
    )
    time.every(rounds(15, 7), 3, () => {
      const last = [...hubs.removed.values()].at(-1)
      if (last === undefined || time.now() - last.at > 2 * headSeconds) return
      forged.tried += 1
      const isLate = time.now() - last.at > headSeconds
      void forge(traffic, last).then(({ hasHeard, judgement }) => {
        if (judgement !== 'admitted') return
        if (hasHeard) forged.takenHeard += 1
        else if (isLate) forged.takenLate += 1
        else forged.takenUnheard += 1
      })
    })
    await time.runUntil(start + seconds + 4000)
    expect(Object.fromEntries(judged)).toEqual({ admitted: tokens })
    expect(hubs.handOvers()).toBeGreaterThanOrEqual(rotations)
    expect(hubs.removed.size).toBeGreaterThanOrEqual(rotations - 1)
    expect(hubs.refusals()).toBeGreaterThan(rotations)
    // Before a gate has heard of it, a removed key is still taken: otherwise the rest would prove nothing.
    expect(forged).toMatchObject({ takenHeard: 0, takenLate: 0 })
    expect(forged.takenUnheard).toBeGreaterThan(0)
    expect(hubs.rows().length).toBeLessThan(8)
  }, 600_000)
})

/** How long a gate that reaches its hub takes removed keys at most: it asks every 5 s, and an answer takes 4 s. */
const boundSeconds = 9

/** A gate that meets a new key asks for it, but not within 10 s after it has asked; the answer takes 4 s. */
const costSeconds = 15

describe('a compromised key', () => {
  // conformance: Keys / A removed key signs no more tokens
  test('is taken for no longer than the bound, and new tokens are refused for no longer than the answer says', async () => {
    const traffic = await startTraffic(printedChance('compromise'), goodNetwork)
    const { hubs, time } = traffic
    const compromises = 20
    let last = 0
    for (let index = 1; index <= compromises; index += 1) {
      time.at(start + index * 3000, () => {
        last = time.now()
        return hubs.byHand('rotate', true)
      })
    }
    const late = { taken: 0, refused: 0 }
    const counts = { ended: 0, taken: 0, refused: 0 }
    const amount = { count: rounds(1000, 10_000), overSeconds: seconds / 10 }
    everyToken(traffic, amount, () => {
      useToken({ ...traffic, signsOneOf: Number.POSITIVE_INFINITY }, (judgement, { kid }) => {
        const gone = hubs.removed.get(kid)
        if (gone === undefined && judgement !== 'admitted') {
          counts.refused += 1
          late.refused += Number(time.now() - last > costSeconds)
        }
        if (gone === undefined) return
        if (judgement !== 'admitted') counts.ended += 1
        else {
          counts.taken += 1
          late.taken += Number(time.now() - gone.at > boundSeconds)
        }
      })
    })
    await time.runUntil(start + compromises * 3000 + 4000)
    expect(late).toEqual({ taken: 0, refused: 0 })
    expect(counts.ended).toBeGreaterThan(compromises)
    expect(hubs.removed.size).toBeGreaterThanOrEqual(compromises)
  }, 600_000)
})

/** The life of a head: without another one a gate lets nobody in. */
const headSeconds = 60
