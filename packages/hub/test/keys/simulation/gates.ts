/** Gates with the real source of keys, far from their hub: answers are lost, late, or from a cache on the way. */

import type { KeySource } from '@latchkey/gate'
import { type HubKeysOptions, hubKeys } from '@latchkey/gate/hub-keys'
import { unixSeconds } from '@latchkey/protocol'
import type { Chance } from '@latchkey/testing/chance'
import type { KeySet } from '@latchkey/token'
import { keyCacheSeconds } from '../../../src/keys/waits.ts'
import { type Hubs, maxSkew } from './hubs.ts'
import type { MovedTime } from './moved-time.ts'

export interface Gate {
  readonly skew: number
  readonly keys: KeySource
  /** When the newest revocations that it has by now were asked for; undefined while it has none that count. */
  heard(): number | undefined
}

/** What lies between a gate and its hub. */
export interface Network {
  /** The share of answers that never come. */
  readonly lost: number
  /** The share of gates behind a proxy that keeps answers for as long as their header allows. */
  readonly cached: number
}

export const badNetwork: Network = { lost: 0.2, cached: 0.5 }
export const goodNetwork: Network = { lost: 0, cached: 0 }

const maxAnswerSeconds = 4
const timeoutSeconds = 5
const pollSeconds = 5
const headSeconds = 60

interface World {
  readonly hubs: Hubs
  readonly time: MovedTime
  readonly chance: Chance
  readonly network: Network
}

export function startGates(count: number, world: World): readonly Gate[] {
  const { time, chance, network } = world
  return Array.from({ length: count }, (_, index) => {
    const skew = Math.round((chance.next() * 2 - 1) * maxSkew)
    const fetchKeys = fetcher(world, index < count * network.cached)
    const keys = hubKeys({ fetchKeys, clock: () => unixSeconds(time.now() + skew) })
    time.at(time.now() + Math.floor(chance.next() * 60), () => void keys.refresh())
    // Requests come all the time, and each asks for the keys.
    time.every(20, Math.floor(chance.next() * 20), () => void keys.known())
    return { skew, keys, heard: poller(world) }
  })
}

function fetcher(
  { hubs, time, chance, network }: World,
  isCached: boolean,
): HubKeysOptions['fetchKeys'] {
  let copy: { readonly keys: KeySet; readonly at: number } | undefined
  const answer = (): KeySet => {
    if (!isCached) return hubs.published()
    const isFresh = copy !== undefined && time.now() - copy.at < keyCacheSeconds
    if (copy === undefined || !isFresh) copy = { keys: hubs.published(), at: time.now() }
    return copy.keys
  }
  let isFirst = true
  return () =>
    new Promise((resolve, reject) => {
      // A gate is not ready before its first answer; that is another guarantee.
      const isLost = !isFirst && chance.next() < network.lost
      isFirst = false
      if (isLost) {
        time.at(time.now() + timeoutSeconds, () => reject(new Error('no answer')))
        return
      }
      const keys = answer()
      time.at(time.now() + chance.next() * maxAnswerSeconds, () => resolve(keys))
    })
}

/** Revocations are asked for every few seconds, whether somebody comes or not. Worked out backwards, when they are needed. */
function poller({ time, chance, network }: World): () => number | undefined {
  const offset = chance.next() * pollSeconds
  const seed = chance.next() * 2 ** 31
  return () => {
    const now = time.now()
    for (let poll = Math.floor((now - offset) / pollSeconds); ; poll -= 1) {
      const asked = offset + poll * pollSeconds
      if (now - asked > headSeconds) return undefined
      const luck = mixed(seed, poll)
      const answered = asked + (luck * 1000 - Math.floor(luck * 1000)) * maxAnswerSeconds
      if (luck >= network.lost && answered <= now) return asked
    }
  }
}

/** A number from 0 to 1 for each poll, always the same one. */
function mixed(seed: number, poll: number): number {
  const value = Math.sin(seed + poll * 12.9898) * 43758.5453
  return value - Math.floor(value)
}
