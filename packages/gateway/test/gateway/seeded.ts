/** Randomness that can be had again from its seed. */

import { createHash } from 'node:crypto'
import { keystream } from '@latchkey/testing/keystream'

export interface Seeded {
  /** A whole number from 0 to `below` - 1. */
  number(below: number): number
  bytes(length: number): Buffer
  pick<Item>(items: readonly Item[]): Item
}

/** xorshift128, started from the hash of the seed. */
export function seeded(seed: string): Seeded {
  const state = new Uint32Array(createHash('sha256').update(seed).digest().buffer.slice(0, 16))
  const next = (): number => {
    let [a = 1, b = 0, c = 0, d = 0] = state
    const old = d
    a ^= a << 11
    a ^= a >>> 8
    ;[d, c, b] = [c, b, state[0] ?? 1]
    a ^= old ^ (old >>> 19)
    state.set([a, b, c, d])
    return a >>> 0
  }
  return {
    number: (below) => next() % below,
    bytes: (length) => keystream(`${seed} ${next()}`, length),
    pick(items) {
      const item = items[next() % items.length]
      if (item === undefined) throw new RangeError('nothing to pick from')
      return item
    },
  }
}
