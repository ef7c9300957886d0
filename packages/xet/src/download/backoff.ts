/** Waits between attempts: each twice as long as the one before, up to 10 s. */

const firstMs = 50
const maxMs = 10_000

export function backoffMs(tries: number): number {
  return Math.min(firstMs * 2 ** tries, maxMs)
}

/** The number of attempts whose waits together stay within this time; at least one. */
export function triesWithin(seconds: number): number {
  let tries = 1
  for (let ms = backoffMs(1); ms + backoffMs(tries + 1) <= seconds * 1000; tries += 1) {
    ms += backoffMs(tries + 1)
  }
  return tries
}
