/** Which step of the rotation is due: decided from the rows and the time alone. */

import type { UnixSeconds } from '@latchkey/protocol'
import type { Algorithm } from '@latchkey/token'
import type { KeyPurpose } from '../tables/schema.ts'
import { inStates, type KeyFacts, type KeysInStates, keyPurposes, stateOf } from './key-state.ts'
import { mayGoFrom, maySignFrom, publishedSeconds } from './waits.ts'

export type Step =
  | {
      readonly do: 'publish'
      readonly purpose: KeyPurpose
      readonly alg: Algorithm
      /** When it is to sign; undefined lets it sign at once. */
      readonly activatesAt: number | undefined
    }
  /** The key that signed until now retires. */
  | { readonly do: 'activate'; readonly kid: string }
  | { readonly do: 'remove'; readonly kid: string }
  | { readonly do: 'raise lifetime'; readonly kid: string; readonly seconds: number }

export interface Schedule {
  readonly now: UnixSeconds
  /** How long a key signs; 0 makes no new key by itself. */
  readonly rotationSeconds: number
  /** How long what this hub signs lives, by purpose. */
  readonly lifetimes: Readonly<Record<KeyPurpose, number>>
  /** For the first key of all. */
  readonly firstAlgorithm: Algorithm
  /**
   * The algorithm that a hub was started with. Only a start asks for one: hubs that were started with different ones would
   * otherwise replace each other's keys for ever.
   */
  readonly wantedAlgorithm?: Algorithm | undefined
}

/** The first of the steps that are due. A step that was taken can make another one due. */
export function dueStep(keys: readonly KeyFacts[], schedule: Schedule): Step | undefined {
  for (const purpose of keyPurposes) {
    const own = inStates(keys, purpose)
    const step =
      removal(own, schedule) ??
      raisedLifetime(own, schedule.lifetimes[purpose]) ??
      firstToSign(own, purpose, schedule) ??
      wantedKey(own, purpose, schedule) ??
      handOver(own, schedule) ??
      nextKey(own, purpose, schedule)
    if (step !== undefined) return step
  }
  return undefined
}

type Own = KeysInStates<KeyFacts>

function removal({ retiring }: Own, { now }: Schedule): Step | undefined {
  const over = retiring.find((key) => now >= mayGoFrom(key, key.retired_at ?? now))
  return over && { do: 'remove', kid: over.kid }
}

/** A hub that signs for longer than the hubs before it says so in the row before it signs. */
function raisedLifetime({ all, retiring }: Own, seconds: number): Step | undefined {
  const short = all.find((key) => !retiring.includes(key) && key.max_lifetime < seconds)
  return short && { do: 'raise lifetime', kid: short.kid, seconds }
}

/** Where no key signs, nothing can be refused that a wait would save. */
function firstToSign(
  { signing, published: [oldest] }: Own,
  purpose: KeyPurpose,
  { firstAlgorithm }: Schedule,
): Step | undefined {
  if (signing !== undefined) return undefined
  if (oldest !== undefined) return { do: 'activate', kid: oldest.kid }
  return { do: 'publish', purpose, alg: firstAlgorithm, activatesAt: undefined }
}

/** A key of another algorithm goes through the same states as any next key. */
function wantedKey(
  { signing, published: [next] }: Own,
  purpose: KeyPurpose,
  { now, wantedAlgorithm: alg }: Schedule,
): Step | undefined {
  const newest = next ?? signing
  if (alg === undefined || newest === undefined || newest.alg === alg) return undefined
  // It has not signed anything, so nothing is lost with it.
  if (next !== undefined) return { do: 'remove', kid: next.kid }
  return { do: 'publish', purpose, alg, activatesAt: now + publishedSeconds }
}

function handOver({ published }: Own, { now }: Schedule): Step | undefined {
  const ready = published.find((key) => now >= Math.max(key.activates_at, maySignFrom(key)))
  return ready && { do: 'activate', kid: ready.kid }
}

/** Published at half of the signing key's life, to sign when a sixth of it is left. */
function nextKey(
  { signing, published }: Own,
  purpose: KeyPurpose,
  { now, rotationSeconds }: Schedule,
): Step | undefined {
  if (signing === undefined || published.length > 0 || rotationSeconds === 0) return undefined
  const { publishAt, activateAt } = lifeOf(signing, rotationSeconds)
  if (now < publishAt) return undefined
  const activatesAt = Math.max(activateAt, now + publishedSeconds)
  return { do: 'publish', purpose, alg: signing.alg, activatesAt }
}

/** The moments in the life of a key that signs: when its successor is published, and when that is to sign. */
export function lifeOf(
  { activated_at, created_at }: Pick<KeyFacts, 'activated_at' | 'created_at'>,
  rotationSeconds: number,
): { readonly publishAt: number; readonly activateAt: number } {
  const since = activated_at ?? created_at
  return {
    publishAt: since + Math.floor(rotationSeconds / 2),
    activateAt: since + Math.floor((rotationSeconds * 5) / 6),
  }
}

const nextWords = ['signs', 'retires', 'gets a successor', 'is removed'] as const

interface Next {
  readonly next: (typeof nextWords)[number]
  readonly at: number
}

/** Undefined for a key that signs until an operator rotates it. */
export function nextOf(
  key: KeyFacts,
  keys: readonly KeyFacts[],
  rotationSeconds: number,
): Next | undefined {
  switch (stateOf(key)) {
    case 'published':
      return { next: 'signs', at: signsAt(key) }
    case 'retiring':
      return { next: 'is removed', at: mayGoFrom(key, key.retired_at ?? 0) }
    case 'signing': {
      const [successor] = inStates(keys, key.purpose).published
      if (successor !== undefined) return { next: 'retires', at: signsAt(successor) }
      if (rotationSeconds === 0) return undefined
      return { next: 'gets a successor', at: lifeOf(key, rotationSeconds).publishAt }
    }
  }
}

function signsAt(key: KeyFacts): number {
  return Math.max(key.activates_at, maySignFrom(key))
}
