/** The master key rotates: every private key is sealed anew, in one transaction. */

import { isRefusal, type Refusal, refuse, type UnixSeconds } from '@latchkey/protocol'
import type { generateSigningKey } from '@latchkey/token/signing'
import type { Origin, Put } from '../tables/change.ts'
import type { Directory } from '../tables/directory.ts'
import { keyPurposes } from './key-state.ts'
import { makeSealed } from './make-key.ts'
import { planRotation } from './manual-steps.ts'
import type { MasterKey } from './master-key.ts'
import { opensAll, sealKey, unsealKey } from './seal.ts'
import { type StoredKey, storedKeys } from './stored-keys.ts'
import { takeStep } from './take-steps.ts'
import { lifetimesOf } from './waits.ts'

export interface Rewrapping {
  /** The master keys at hand, one of which should open the keys. */
  readonly old: readonly MasterKey[]
  readonly next: MasterKey
  readonly origin: Origin
  readonly now: UnixSeconds
}

/** `already`: an earlier attempt came so far, and was cut off after it. */
export interface Rewrapped {
  readonly did: 'rewrapped' | 'replaced' | 'already'
  readonly keys: number
}

export function rewrapKeys(
  directory: Directory,
  { old, next, origin }: Rewrapping,
): Promise<Rewrapped | Refusal> {
  return directory.change(async ({ tables, putAs }) => {
    const rows = await storedKeys(tables)
    if (rows.length === 0) return noKeys()
    if (await opensAll(rows, next)) return { did: 'already', keys: rows.length }
    const right = await findOpening(old, rows)
    if (right === undefined) return noneOpens()
    await sealAnew(rows, { right, next, put: putAs(origin) })
    return { did: 'rewrapped', keys: rows.length }
  })
}

/** The old master key is gone, and what was sealed with it: every key is removed, and new ones sign. */
export function replaceLostKeys(
  directory: Directory,
  { old, next, origin, now }: Rewrapping,
): Promise<Rewrapped | Refusal> {
  return directory.change(async ({ tables, putAs }) => {
    let keys = await storedKeys(tables)
    const { length } = keys
    if (length === 0) return noKeys()
    if (await opensAll(keys, next)) return { did: 'already', keys: length }
    if ((await findOpening(old, keys)) !== undefined) return notLost()
    const own = { makeKey: makeUnder(next), put: putAs(origin), now, lifetimes: lifetimesOf(0) }
    for (const purpose of keyPurposes) {
      const asked = { now, compromised: true, firstAlgorithm: 'ES256' } as const
      const steps = planRotation(keys, purpose, asked)
      for (const step of isRefusal(steps) ? [] : steps) {
        const after = await takeStep(step, { ...own, keys })
        if (isRefusal(after)) return after
        keys = after
      }
    }
    return { did: 'replaced', keys: length }
  })
}

function makeUnder(masterKey: MasterKey) {
  return (alg: Parameters<typeof generateSigningKey>[0]) => makeSealed(alg, masterKey)
}

async function findOpening(
  masterKeys: readonly MasterKey[],
  rows: readonly StoredKey[],
): Promise<MasterKey | undefined> {
  for (const key of masterKeys) if (await opensAll(rows, key)) return key
  return undefined
}

async function sealAnew(
  rows: readonly StoredKey[],
  { right, next, put }: { right: MasterKey; next: MasterKey; put: Put },
): Promise<void> {
  for (const before of rows) {
    const key = await unsealKey(before, right)
    if (key === undefined) throw new Error('a key that was just opened does not open')
    await put([{ thing: 'key', before, after: { ...before, sealed: sealKey(key, next) } }])
  }
}

function noKeys(): Refusal {
  return refuse(
    'conflict',
    'There are no keys yet, so nothing is encrypted: the first start makes them with the master key that it finds.',
  )
}

function noneOpens(): Refusal {
  return refuse(
    'conflict',
    'The master key at hand is not the one that the keys are encrypted with; nothing was changed. Set LATCHKEY_MASTER_KEY to the right one, or restore the file master.key. If it is lost for good, --lost makes new keys.',
  )
}

function notLost(): Refusal {
  return refuse(
    'conflict',
    'The master key at hand opens the keys, so nothing is lost; nothing was changed. Leave --lost out to keep them.',
  )
}
