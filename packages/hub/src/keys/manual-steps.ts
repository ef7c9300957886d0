/** The steps that an operator asks for, or the refusal that says why they are not safe yet, and from when they are. */

import { formatTime, type Refusal, refuse, type UnixSeconds } from '@latchkey/protocol'
import type { Algorithm } from '@latchkey/token'
import type { KeyPurpose } from '../tables/schema.ts'
import type { Step } from './due-step.ts'
import { inStates, type KeyFacts, type KeysInStates, stateOf } from './key-state.ts'
import { keyCacheSeconds, mayGoFrom, maySignFrom, publishedSeconds, skewSeconds } from './waits.ts'

interface KeyStepRequest {
  readonly now: UnixSeconds
  /** The key is in other hands: it leaves without waiting. */
  readonly compromised: boolean
}

type Own = KeysInStates<KeyFacts>

/** Publishes a next key, or lets a published one sign. */
export function planRotation(
  keys: readonly KeyFacts[],
  purpose: KeyPurpose,
  { now, compromised, firstAlgorithm }: KeyStepRequest & { readonly firstAlgorithm: Algorithm },
): readonly Step[] | Refusal {
  const own = inStates(keys, purpose)
  const alg = own.signing?.alg ?? firstAlgorithm
  // Keys lie beside each other, so all of them may be in the same hands.
  if (compromised) return [atOnce(purpose, alg), ...own.all.map(remove)]
  const [next] = own.published
  if (next !== undefined)
    return own.signing && refuseEarly(next, now) ? tooEarly(next) : [activate(next)]
  if (own.signing === undefined) return [atOnce(purpose, alg)]
  return [{ do: 'publish', purpose, alg, activatesAt: now + publishedSeconds }]
}

/** Takes a key one state further. */
export function planRetirement(
  keys: readonly KeyFacts[],
  kid: string,
  request: KeyStepRequest,
): readonly Step[] | Refusal {
  const key = keys.find((one) => one.kid === kid)
  if (key === undefined) return noKey(kid)
  const own = inStates(keys, key.purpose)
  if (request.compromised) return leaving(key, own)
  switch (stateOf(key)) {
    case 'published':
      return [remove(key)]
    case 'signing':
      return handingOver(key, own, request.now)
    case 'retiring': {
      const from = mayGoFrom(key, key.retired_at ?? request.now)
      return request.now < from ? stillNeeded(key, from) : [remove(key)]
    }
  }
}

/** Published keys that have not signed leave too: an attacker who has one key may have read those beside it. */
function leaving(key: KeyFacts, { published }: Own): readonly Step[] {
  const gone = new Set([key, ...published])
  const steps = [...gone].map(remove)
  // The new key first: it learns from the others how long what hubs sign lives.
  return stateOf(key) === 'signing' ? [atOnce(key.purpose, key.alg), ...steps] : steps
}

function handingOver(
  key: KeyFacts,
  { published: [next] }: Own,
  now: UnixSeconds,
): readonly Step[] | Refusal {
  if (next === undefined) return noSuccessor(key)
  return refuseEarly(next, now) ? successorTooEarly(key, next) : [activate(next)]
}

function refuseEarly(key: KeyFacts, now: UnixSeconds): boolean {
  return now < maySignFrom(key)
}

function remove({ kid }: KeyFacts): Step {
  return { do: 'remove', kid }
}

function activate({ kid }: KeyFacts): Step {
  return { do: 'activate', kid }
}

function atOnce(purpose: KeyPurpose, alg: Algorithm): Step {
  return { do: 'publish', purpose, alg, activatesAt: undefined }
}

const notEverywhere = `a verifier may keep the keys that it has for ${keyCacheSeconds} s, some of its fetches may be lost, and clocks may be ${skewSeconds} s apart`

function tooEarly(next: KeyFacts): Refusal {
  return refuse(
    'conflict',
    `The next key ${next.kid} was published at ${time(next.created_at)} and must not sign yet: ${notEverywhere}. Ask again from ${time(maySignFrom(next))} on; a running hub lets it sign by itself at ${time(next.activates_at)}.`,
    { next: ['keys', 'list'] },
  )
}

function noSuccessor({ kid, purpose }: KeyFacts): Refusal {
  return refuse(
    'conflict',
    `The key ${kid} signs, and no other key can take its place. Publish one; ${publishedSeconds} s later it may sign, and this key retires.`,
    { next: ['keys', 'rotate', '--use', purpose] },
  )
}

function successorTooEarly({ kid }: KeyFacts, next: KeyFacts): Refusal {
  return refuse(
    'conflict',
    `The key ${kid} signs, and its successor ${next.kid} must not sign yet: ${notEverywhere}. Ask again from ${time(maySignFrom(next))} on.`,
    { next: ['keys', 'list'] },
  )
}

function stillNeeded({ kid, max_lifetime }: KeyFacts, from: UnixSeconds): Refusal {
  return refuse(
    'conflict',
    `The key ${kid} is still needed: what it signed lives for up to ${max_lifetime} s, and verifiers need the key until then. It may be removed from ${time(from)} on, which a running hub does by itself. If it has leaked, --compromised removes it at once, and ends what it signed.`,
    { next: ['keys', 'list'] },
  )
}

function noKey(kid: string): Refusal {
  return refuse(
    'resource_not_found',
    `There is no key ${kid}. List the keys to see which there are.`,
    { next: ['keys', 'list'] },
  )
}

function time(moment: number): string {
  return formatTime(moment as UnixSeconds)
}
