/** The master key rotates: every private key and provider token is sealed anew, in one transaction. */

import { hash } from 'node:crypto'
import { linkSync, renameSync, rmSync, unlinkSync } from 'node:fs'
import { isRefusal, type Refusal, refuse, type UnixSeconds } from '@latchkey/protocol'
import { isKeyFileThere, makeKeyFile, syncPath } from '@latchkey/service/machine/files'
import type { generateSigningKey } from '@latchkey/token/signing'
import type { Origin, Put } from '../tables/change.ts'
import type { Directory, Tables } from '../tables/directory.ts'
import { keyPurposes } from './key-state.ts'
import { planRotation } from './manual-steps.ts'
import {
  type MasterKey,
  masterKeyFile,
  masterKeysIn,
  nextMasterKeyFile,
  readMasterKey,
} from './master-key.ts'
import { takeStep } from './rotate-keys.ts'
import {
  makeSealed,
  openProviderToken,
  opensAll,
  sealKey,
  sealProviderToken,
  unsealKey,
} from './seal.ts'
import { type StoredKey, storedKeys } from './stored-keys.ts'
import { lifetimesOf } from './waits.ts'

interface Rewrapping {
  /** The master keys at hand, one of which should open the keys. */
  readonly old: readonly MasterKey[]
  readonly next: MasterKey
  readonly origin: Origin
  readonly now: UnixSeconds
}

/** `already`: an earlier attempt came so far, and was cut off after it. */
export interface RewrapResult {
  readonly did: 'rewrapped' | 'replaced' | 'already'
  readonly keys: number
}

export function rewrapKeys(
  directory: Directory,
  { old, next, origin }: Rewrapping,
): Promise<RewrapResult | Refusal> {
  return directory.note('provider token', async ({ tables, putAs }) => {
    const rows = await storedKeys(tables)
    if (rows.length === 0) return noKeys()
    if (await opensAll(rows, next)) return { did: 'already', keys: rows.length }
    const right = await findOpening(old, rows)
    if (right === undefined) return noneOpens()
    await sealAnew(rows, { right, next, put: putAs(origin) })
    await sealProviderTokens(tables, { right, next })
    return { did: 'rewrapped', keys: rows.length }
  })
}

/** The old master key is gone, and what was sealed with it: every key is removed, and new ones sign. */
export function replaceLostKeys(
  directory: Directory,
  { old, next, origin, now }: Rewrapping,
): Promise<RewrapResult | Refusal> {
  return directory.change(async ({ tables, putAs }) => {
    let keys = await storedKeys(tables)
    const { length } = keys
    if (length === 0) return noKeys()
    if (await opensAll(keys, next)) return { did: 'already', keys: length }
    if ((await findOpening(old, keys)) !== undefined) return notLost()
    const own = { makeKey: makeUnder(next), put: putAs(origin), now, lifetimes: lifetimesOf(0) }
    for (const purpose of keyPurposes) {
      const request = { now, compromised: true, firstAlgorithm: 'ES256' } as const
      const steps = planRotation(keys, purpose, request)
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

/** One that does not open is left: the next sign-in of the person replaces it. */
async function sealProviderTokens(
  tables: Tables,
  { right, next }: { readonly right: MasterKey; readonly next: MasterKey },
): Promise<void> {
  for (const row of await tables.selectFrom('provider_tokens').selectAll().execute()) {
    const token = openProviderToken(row, right)
    if (token === undefined) continue
    await tables
      .updateTable('provider_tokens')
      .set({ sealed: sealProviderToken(token, next, row) })
      .where('issuer', '=', row.issuer)
      .where('subject', '=', row.subject)
      .execute()
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

/** The master keys of a rewrap: where the new one comes from, and how it takes the place of the old one. */
export interface RewrapKeys {
  /** Master keys at hand; one of them should open the keys. */
  readonly old: readonly MasterKey[]
  readonly next: MasterKey
  /** For when nothing was sealed with the new one: a file that was made for it goes. */
  discard(): void
  /** For when everything is: the file of the old one makes room. Gives where the old one is kept, if it was a file. */
  putInPlace(): string | undefined
}

interface Given {
  /** From the environment, where it is not in a file. */
  readonly current: MasterKey | undefined
  /** Undefined makes one, in a file beside the old one. */
  readonly next: MasterKey | undefined
}

export function rewrapKeysOf(data: string, { current, next }: Given): RewrapKeys {
  const file = nextMasterKeyFile(data)
  // A file that is there is of a rewrap that was cut off: the keys may be sealed with it already.
  const isMade = next === undefined && !isKeyFileThere(file)
  if (isMade) makeKeyFile(file)
  const chosen = next ?? readMasterKey(file)
  return {
    old: current === undefined ? masterKeysIn(data) : [current],
    next: chosen,
    discard() {
      if (isMade) rmSync(file)
    },
    putInPlace: () => (current === undefined ? replaceFile(data, { next, chosen }) : undefined),
  }
}

/** Each step leaves the old key in a file, and the new one in a file or with the operator. */
function replaceFile(
  data: string,
  { next, chosen }: { readonly next: MasterKey | undefined; readonly chosen: MasterKey },
): string | undefined {
  const file = masterKeyFile(data)
  const old = isKeyFileThere(file) ? readMasterKey(file) : undefined
  const isOther = old !== undefined && old.reveal() !== chosen.reveal()
  const oldFile = isOther ? `${file}.old-${fingerprintOf(old)}` : undefined
  if (oldFile !== undefined && !isKeyFileThere(oldFile)) linkSync(file, oldFile)
  if (next === undefined) renameSync(nextMasterKeyFile(data), file)
  else if (isOther) unlinkSync(file)
  syncPath(data)
  return oldFile
}

/** The same name for the same key, so that a command that is run again keeps it once. */
function fingerprintOf(key: MasterKey): string {
  return hash('sha256', key.reveal(), 'hex').slice(0, 8)
}
