/** The keys that sign storage tokens and heads of revocation lists, by name; their material never leaves the store. */

import { formatTime, isRefusal, type Refusal, type UnixSeconds } from '@latchkey/protocol'
import { maxHeadSeconds } from '@latchkey/token'
import { nextOf, type Step } from '../keys/due-step.ts'
import { inStates, type KeyFacts, stateOf } from '../keys/key-state.ts'
import { planRetirement, planRotation } from '../keys/manual-steps.ts'
import { takeStep } from '../keys/rotate-keys.ts'
import { type StoredKey, storedKeys } from '../keys/stored-keys.ts'
import type { KeyPurpose } from '../tables/schema.ts'
import { type Changing, type Does, makePage } from './does.ts'
import { boundsSentence } from './revoke.ts'

interface Rows {
  readonly before: readonly StoredKey[]
  readonly after: readonly StoredKey[]
}

/** Explains in plain words what a step did to a key, and the cost of an immediate removal. */
function sentenceOf(step: Step, { before, after }: Rows): string {
  switch (step.do) {
    case 'publish': {
      const kidsBefore = new Set(before.map(({ kid }) => kid))
      const kid = after.find((key) => !kidsBefore.has(key.kid))?.kid
      return step.activatesAt === undefined
        ? `${kid} is new and signs from now on`
        : `${kid} is published, and signs after its wait`
    }
    case 'activate':
      return `${step.kid} signs from now on, and the key before it retires`
    case 'remove':
      return `${step.kid} is removed and revoked for ever`
    case 'raise lifetime':
      return `${step.kid} stays published for longer after it has signed`
  }
}

/** A gate that sees an unknown key asks its hub at most this often. */
const fetchedWithinSeconds = 10

function costOf(purpose: KeyPurpose): string {
  return purpose === 'tokens' ? costOfTokens : costOfRevocations
}

const costOfTokens = [
  boundsSentence('every storage token that a removed key signed'),
  "Latchkey's client asks for new ones by itself. Running transfers of Hugging Face clients fail and must be started again.",
  `A gate fetches the new key when it first sees it, so for up to ${fetchedWithinSeconds} s requests with new tokens may get 503.`,
].join(' ')

const costOfRevocations = [
  'All storage tokens stay valid.',
  'A gate fetches the new key with the next head of the revocation list.',
  `Until then it uses its current head, for at most ${maxHeadSeconds} s unless revocations.whenStale is allow.`,
].join(' ')

export const listKeys: Does<'keys list'> = async ({ tables, keys }, { limit, after = '' }) => {
  const all = await storedKeys(tables)
  const inOrder = all.toSorted((one, other) => (one.kid < other.kid ? -1 : 1))
  const rows = inOrder.filter(({ kid }) => kid > after).slice(0, limit + 1)
  return makePage(
    { rows, total: all.length, limit },
    (key) => shownKey(key, all, keys.rotationSeconds),
    ({ kid }) => kid,
  )
}

export const rotateKeys: Does<'keys rotate'> = async (work, { use, compromised }) => {
  const stored = await storedKeys(work.tables)
  const { firstAlgorithm } = work.keys
  const request = { now: work.now, compromised, firstAlgorithm }
  return take(planRotation(stored, use, request), { ...work, stored, purpose: use, compromised })
}

export const retireKey: Does<'keys retire'> = async (work, { kid, compromised }) => {
  const stored = await storedKeys(work.tables)
  const plan = planRetirement(stored, kid, { now: work.now, compromised })
  const purpose = stored.find((key) => key.kid === kid)?.purpose ?? 'tokens'
  return take(plan, { ...work, stored, purpose, compromised })
}

interface Taking extends Pick<Changing, 'keys' | 'put' | 'now'> {
  readonly stored: readonly StoredKey[]
  readonly purpose: KeyPurpose
  readonly compromised: boolean
}

async function take(steps: readonly Step[] | Refusal, taking: Taking) {
  if (isRefusal(steps)) return steps
  const { put, now, stored, purpose } = taking
  const { makeKey, lifetimes, rotationSeconds } = taking.keys
  const done: string[] = []
  let rows = stored
  for (const step of steps) {
    const after = await takeStep(step, { keys: rows, makeKey, put, now, lifetimes })
    if (isRefusal(after)) return after
    done.push(sentenceOf(step, { before: rows, after }))
    rows = after
  }
  const { all, signing } = inStates(rows, purpose)
  return {
    done,
    ...(signing === undefined ? {} : { signing: signing.kid }),
    next: all.flatMap((key) => nextSentence(key, rows, rotationSeconds)),
    ...(taking.compromised ? { cost: costOf(purpose) } : {}),
  }
}

function nextSentence(
  key: KeyFacts,
  keys: readonly KeyFacts[],
  rotationSeconds: number,
): readonly string[] {
  const coming = nextOf(key, keys, rotationSeconds)
  return coming === undefined ? [] : [`${key.kid} ${coming.next} at ${time(coming.at)}`]
}

function shownKey(key: KeyFacts, keys: readonly KeyFacts[], rotationSeconds: number) {
  const { kid, purpose, alg, created_at, activated_at, retired_at } = key
  const coming = nextOf(key, keys, rotationSeconds)
  return {
    kid,
    purpose,
    alg,
    state: stateOf(key),
    since: time(retired_at ?? activated_at ?? created_at),
    ...(coming === undefined ? {} : { next: coming.next, nextAt: time(coming.at) }),
    createdAt: time(created_at),
  }
}

function time(moment: number): string {
  return formatTime(moment as UnixSeconds)
}
