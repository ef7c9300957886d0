/** Hubs on one table of keys, each with a clock of its own, that rotate by the real decisions. */

import { isRefusal, type Refusal, unixSeconds } from '@latchkey/protocol'
import type { Chance } from '@latchkey/testing/chance'
import type { KeySet } from '@latchkey/token'
import { readKeySet } from '@latchkey/token'
import { generateSigningKey, jwksOf, type SigningKey } from '@latchkey/token/signing'
import { dueStep, type Step } from '../../../src/keys/due-step.ts'
import { inStates } from '../../../src/keys/key-state.ts'
import { planRetirement, planRotation } from '../../../src/keys/manual-steps.ts'
import { takeStep } from '../../../src/keys/rotate-keys.ts'
import type { StoredKey } from '../../../src/keys/stored-keys.ts'
import { lifetimesOf } from '../../../src/keys/waits.ts'
import type { MovedTime } from './moved-time.ts'

/** The clocks of two parties are at most the leeway apart. */
export const maxSkew = 30

/** Much shorter than anybody would configure, so that the waits make up a large part of it. */
export const rotationSeconds = 7200

export interface Hub {
  readonly skew: number
  readonly lifetime: number
}

export interface Hubs {
  readonly all: readonly Hub[]
  /** When each removed key went, by the true time. */
  readonly removed: ReadonlyMap<string, { readonly at: number; readonly key: SigningKey }>
  readonly handOvers: () => number
  readonly refusals: () => number
  /** What a fetch of the keys is answered with now. */
  published(): KeySet
  /** The key that a hub signs with now. */
  signing(): SigningKey
  rows(): readonly StoredKey[]
  /** An operator asks for something that may be refused. */
  byHand(kind: 'rotate' | 'retire', compromised: boolean): Promise<void>
}

export async function startHubs(time: MovedTime, chance: Chance): Promise<Hubs> {
  const made = new Map<string, { readonly key: SigningKey; readonly set: KeySet }>()
  const removed = new Map<string, { at: number; key: SigningKey }>()
  let rows: readonly StoredKey[] = []
  let handOvers = 0
  let refusals = 0
  const makeKey = async () => {
    const key = await generateSigningKey('ES256')
    made.set(key.kid, { key, set: await readKeySet(jwksOf([key])) })
    return { kid: key.kid, alg: key.alg, sealed: '' }
  }
  const take = async (step: Step, hub: Hub): Promise<void> => {
    const put = async () => {}
    const now = unixSeconds(time.now() + hub.skew)
    const work = { keys: rows, makeKey, put, now, lifetimes: lifetimesOf(hub.lifetime) }
    const after = await takeStep(step, work)
    if (isRefusal(after)) throw new Error(after.detail)
    rows = after
    if (step.do === 'activate' && keyOf(step.kid) !== undefined) handOvers += 1
    const gone = step.do === 'remove' ? made.get(step.kid)?.key : undefined
    if (gone !== undefined) removed.set(gone.kid, { at: time.now(), key: gone })
  }
  const keyOf = (kid: string) => rows.find((row) => row.kid === kid && row.purpose === 'tokens')
  const look = async (hub: Hub): Promise<void> => {
    for (;;) {
      const now = unixSeconds(time.now() + hub.skew)
      const lifetimes = lifetimesOf(hub.lifetime)
      const step = dueStep(rows, { now, rotationSeconds, lifetimes, firstAlgorithm: 'ES256' })
      if (step === undefined) return
      await take(step, hub)
    }
  }
  const all: readonly Hub[] = [
    { skew: -maxSkew, lifetime: 900 },
    { skew: 0, lifetime: 120 },
    { skew: maxSkew, lifetime: 1800 },
  ]
  for (const hub of all) {
    await look(hub)
    time.every(60, Math.floor(chance.next() * 60), () => look(hub))
  }
  const tokens = () => inStates(rows, 'tokens')
  return {
    all,
    removed,
    handOvers: () => handOvers,
    refusals: () => refusals,
    published: () => new Map(tokens().all.flatMap(({ kid }) => [...(made.get(kid)?.set ?? [])])),
    signing() {
      const key = made.get(tokens().signing?.kid ?? '')?.key
      if (key === undefined) throw new Error('no key signs')
      return key
    },
    rows: () => rows,
    async byHand(kind, compromised) {
      const hub = all[Math.floor(chance.next() * all.length)] ?? { skew: 0, lifetime: 900 }
      const asked = { now: unixSeconds(time.now() + hub.skew), compromised }
      const { all: keys } = tokens()
      const kid = keys[Math.floor(chance.next() * keys.length)]?.kid ?? ''
      const plan: readonly Step[] | Refusal =
        kind === 'rotate'
          ? planRotation(rows, 'tokens', { ...asked, firstAlgorithm: 'ES256' })
          : planRetirement(rows, kid, asked)
      if (isRefusal(plan)) refusals += 1
      else for (const step of plan) await take(step, hub)
    },
  }
}
