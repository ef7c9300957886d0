/** The signing keys of a hub, opened at start; the first one is made then. */

import type { Secret, UnixSeconds } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/cannot-start'
import { type Algorithm, algorithms } from '@latchkey/token'
import { generateSigningKey, type SigningKey } from '@latchkey/token/signing'
import type { Origin } from '../directory/port/change.ts'
import type { Directory, Reading } from '../directory/port/directory.ts'
import type { KeyRow } from '../directory/port/rows.ts'
import { deriveBlobUrlKey } from './derive-key.ts'
import { loadMasterKey, type MasterKey } from './master-key.ts'
import { sealKey, unsealKey } from './seal.ts'

export interface KeyRing {
  /** The newest key of the configured algorithm. */
  readonly signing: SigningKey
  /** Every key that tokens may still carry. */
  readonly published: readonly SigningKey[]
  /** Signs the storage's short-lived URLs; of no use for anything else. */
  readonly blobUrlKey: Secret<'blob-url-key'>
}

export interface KeyRingOptions {
  readonly directory: Directory
  readonly data: string
  readonly masterKey: MasterKey | undefined
  readonly algorithm: Algorithm
  readonly now: UnixSeconds
  /** Named in the journal as the maker of the first key. */
  readonly origin: Origin
}

export async function openKeyRing(options: KeyRingOptions): Promise<KeyRing> {
  const { directory, data, algorithm, now } = options
  const stored = await directory.read(storedKeys)
  const masterKey = options.masterKey ?? loadMasterKey(data, { mayMake: stored.length === 0 })
  const opened = await Promise.all(stored.map((row) => openKey(row, masterKey)))
  const newest = opened.findLast(({ alg }) => alg === algorithm)
  if (newest !== undefined) {
    return { signing: newest, published: opened, blobUrlKey: deriveBlobUrlKey(masterKey) }
  }
  const key = await generateSigningKey(algorithm)
  const sealed = sealKey(key, masterKey)
  await addKey(options, { kid: key.kid, alg: key.alg, sealed, created_at: now })
  return openKeyRing({ ...options, masterKey })
}

interface StoredKey {
  readonly kid: string
  readonly alg: Algorithm
  readonly sealed: string
}

async function storedKeys(tables: Reading): Promise<readonly StoredKey[]> {
  const rows = await tables
    .selectFrom('signing_keys')
    .selectAll()
    .orderBy('created_at')
    .orderBy('kid')
    .execute()
  return rows.map(({ kid, alg, sealed }) => {
    const known = algorithms.find((ours) => ours === alg)
    if (known !== undefined) return { kid, alg: known, sealed }
    throw new CannotStart(
      `the signing key ${kid} is for ${alg}, which this program does not know: it was written by a newer Latchkey. Run that one.`,
    )
  })
}

async function openKey(row: StoredKey, masterKey: MasterKey): Promise<SigningKey> {
  const key = await unsealKey(row, masterKey)
  if (key?.kid === row.kid) return key
  throw new CannotStart(
    `the signing key ${row.kid} cannot be decrypted: the master key is not the one it was encrypted with. Set LATCHKEY_MASTER_KEY to the right one, or restore the file master.key.`,
  )
}

/** Of two hubs that start at once on new data, the first makes the key and the second takes it. */
async function addKey({ directory, origin }: KeyRingOptions, key: KeyRow): Promise<void> {
  await directory.change(async ({ tables, putAs }) => {
    const others = await storedKeys(tables)
    if (others.some(({ alg }) => alg === key.alg)) return
    await putAs(origin)([{ thing: 'key', after: key }])
  })
}
