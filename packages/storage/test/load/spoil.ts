/** Makes something wrong of something right, in one of the ways in which bodies are wrong. */

import type { Chance } from '@latchkey/testing/chance'

type Spoil = (bytes: Buffer, chance: Chance) => Buffer

const ways: readonly Spoil[] = [flip, flip, cutOff, extend, claim, mix]

export function spoil(bytes: Buffer, chance: Chance): Uint8Array<ArrayBuffer> {
  const way = ways[below(ways.length, chance)] ?? flip
  return new Uint8Array(way(Buffer.from(bytes), chance))
}

function flip(bytes: Buffer, chance: Chance): Buffer {
  for (let left = 1 + below(4, chance); left > 0; left -= 1) {
    bytes[below(bytes.length, chance)] = below(256, chance)
  }
  return bytes
}

function cutOff(bytes: Buffer, chance: Chance): Buffer {
  return bytes.subarray(0, below(bytes.length, chance))
}

function extend(bytes: Buffer, chance: Chance): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(below(5000, chance), below(256, chance))])
}

/** Lengths and counts that promise far more than there is. */
function claim(bytes: Buffer, chance: Chance): Buffer {
  bytes.writeUInt32LE(0xffffffff, below(bytes.length - 4, chance) & ~3)
  return bytes
}

function mix(bytes: Buffer, chance: Chance): Buffer {
  const [one, other] = [below(bytes.length, chance), below(bytes.length, chance)]
  return Buffer.concat([bytes.subarray(0, one), bytes.subarray(other)])
}

export function below(limit: number, chance: Chance): number {
  return Math.floor(chance.next() * limit)
}
