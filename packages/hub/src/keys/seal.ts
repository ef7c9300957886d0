/** Secrets at rest: AES-256-GCM under the master key. A private key is bound to its `kid` and algorithm. */

import { type Refusal, refuse, Secret } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import { seal, unseal } from '@latchkey/service/machine/seal'
import type { Algorithm } from '@latchkey/token'
import {
  exportSigningKey,
  generateSigningKey,
  importSigningKey,
  type SigningKey,
} from '@latchkey/token/signing'
import { loadMasterKey, type MasterKey, masterKeysIn } from './master-key.ts'

export interface SealedRow {
  readonly kid: string
  readonly alg: Algorithm
  readonly sealed: string
}

export function sealKey(key: SigningKey, masterKey: MasterKey): string {
  return sealBytes(exportSigningKey(key), masterKey, boundTo(key.kid, key.alg))
}

function sealBytes(bytes: Uint8Array | string, masterKey: MasterKey, boundTo: string): string {
  return seal(bytes, { key: bytesOf(masterKey), boundTo }).toString('base64')
}

/** Undefined when the master key is another one, or the text has been altered. */
function openBytes(sealed: string, masterKey: MasterKey, boundTo: string): Buffer | undefined {
  return unseal(Buffer.from(sealed, 'base64'), { key: bytesOf(masterKey), boundTo })
}

/** The person whose token a provider gave: what is sealed for one opens for no other. */
type SealedFor = Readonly<Record<'provider' | 'issuer' | 'subject', string>>

export function sealProviderToken(
  token: Secret<'provider-token'>,
  masterKey: MasterKey,
  person: SealedFor,
): string {
  return sealBytes(token.reveal(), masterKey, boundToPerson(person))
}

/** Undefined when the master key is another one, or the row has been altered. */
export function openProviderToken(
  { sealed, ...person }: SealedFor & { readonly sealed: string },
  masterKey: MasterKey,
): Secret<'provider-token'> | undefined {
  const opened = openBytes(sealed, masterKey, boundToPerson(person))
  return opened && new Secret('provider-token', opened.toString())
}

function boundToPerson({ provider, issuer, subject }: SealedFor): string {
  return JSON.stringify([provider, issuer, subject])
}

/** Undefined when the master key is another one, or the row has been altered. */
export async function unsealKey(
  { kid, alg, sealed }: SealedRow,
  masterKey: MasterKey,
): Promise<SigningKey | undefined> {
  const opened = openBytes(sealed, masterKey, boundTo(kid, alg))
  try {
    return opened && (await importSigningKey(opened, alg))
  } catch {
    return undefined
  }
}

/** Whether the master key opens every one of them as the key that the row names. */
export async function opensAll(rows: readonly SealedRow[], masterKey: MasterKey): Promise<boolean> {
  for (const row of rows) {
    if ((await unsealKey(row, masterKey))?.kid !== row.kid) return false
  }
  return true
}

function boundTo(kid: string, alg: Algorithm): string {
  return `${kid}.${alg}`
}

function bytesOf(masterKey: MasterKey): Buffer {
  return Buffer.from(masterKey.reveal(), 'base64')
}

/** The master key in the data directory that opens the keys. A rewrap that was cut off leaves two. */
export async function findMasterKey(data: string, rows: readonly SealedRow[]): Promise<MasterKey> {
  if (rows.length === 0) return loadMasterKey(data, { mayMake: true })
  const found = masterKeysIn(data)
  for (const key of found) if (await opensAll(rows, key)) return key
  return found[0] ?? loadMasterKey(data, { mayMake: false })
}

/** Undefined when the master key is another one, or the row holds another key than it names. */
export async function openKey(
  row: SealedRow,
  masterKey: MasterKey,
): Promise<SigningKey | undefined> {
  const key = await unsealKey(row, masterKey)
  return key?.kid === row.kid ? key : undefined
}

/** For a program that cannot do its work without every one of them. */
export async function openEveryKey(
  rows: readonly SealedRow[],
  masterKey: MasterKey,
): Promise<readonly SigningKey[]> {
  const opened: SigningKey[] = []
  for (const row of rows) {
    const key = await openKey(row, masterKey)
    if (key === undefined) throw cannotOpen(row)
    opened.push(key)
  }
  return opened
}

function cannotOpen({ kid }: SealedRow): CannotStart {
  return new CannotStart(
    `the signing key ${kid} cannot be decrypted: the master key is not the one it was encrypted with. Set LATCHKEY_MASTER_KEY to the right one, or restore the file master.key.`,
  )
}

/** `beside` are the keys of the transaction that the new one becomes part of. */
export type MakeKey = (alg: Algorithm, beside: readonly SealedRow[]) => Promise<SealedRow | Refusal>

/** The master key is loaded only when a key is made. */
export function keyMaker(
  load: (beside: readonly SealedRow[]) => MasterKey | Promise<MasterKey>,
): MakeKey {
  return async (alg, beside) => {
    const masterKey = await load(beside)
    // A hub that was not restarted after `keys rewrap` has the old master key: what it seals, no start could open.
    return (await opensAll(beside, masterKey)) ? makeSealed(alg, masterKey) : anotherMasterKey()
  }
}

export async function makeSealed(alg: Algorithm, masterKey: MasterKey): Promise<SealedRow> {
  const key = await generateSigningKey(alg)
  return { kid: key.kid, alg, sealed: sealKey(key, masterKey) }
}

function anotherMasterKey(): Refusal {
  return refuse(
    'conflict',
    'The stored keys are encrypted with another master key than this process has, so it makes no further key. Restart the hub after "latchkey keys rewrap"; for a command, set LATCHKEY_MASTER_KEY to that one.',
  )
}
