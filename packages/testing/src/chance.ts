/** Chance that can be repeated: the same seed gives the same choices. */

export interface Chance {
  readonly seed: number
  /** From 0 up to, but not including, 1. */
  next(): number
}

/** mulberry32. */
export function chance(seed: number): Chance {
  let state = seed >>> 0
  return {
    seed,
    next() {
      state = (state + 0x6d2b79f5) >>> 0
      let mixed = Math.imul(state ^ (state >>> 15), state | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
    },
  }
}

/** A new seed for every run, printed so that a failure can be repeated with LATCHKEY_SEED. */
export function printedChance(what: string): Chance {
  const given = process.env['LATCHKEY_SEED']
  const seed = given === undefined ? Date.now() % 2 ** 31 : Number(given)
  process.stdout.write(`${what}: LATCHKEY_SEED=${seed}\n`)
  return chance(seed)
}

/** How the kills fell: a test that only ever hits one side would prove little. */
export function printSides(
  what: string,
  { before, after }: { before: number; after: number },
): void {
  process.stdout.write(`${what}: ${before} times as before, ${after} times done\n`)
}

/** Few in the test command, many when somebody has the time. */
export function rounds(usual: number, soak: number): number {
  return process.env['LATCHKEY_SOAK'] === '1' ? soak : usual
}
