/** Data that looks random, and is the same for the same seed everywhere. */

export function splitMix(length: number, seed: bigint): Buffer {
  const words = new BigUint64Array(Math.ceil(length / 8))
  let state = seed
  for (const index of words.keys()) {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n)
    let word = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n)
    word = BigInt.asUintN(64, (word ^ (word >> 27n)) * 0x94d049bb133111ebn)
    words[index] = word ^ (word >> 31n)
  }
  return Buffer.from(words.buffer, 0, length)
}
