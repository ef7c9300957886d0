/**
 * The root of all keys of blob URLs where processes share a catalogue: derived from a secret that each of them is given and
 * a salt in the catalogue. Another salt is another root, so that one command replaces it for all of them.
 */

import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { isRefusal, type Secret, shareRunning } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import type { RandomBytes } from '@latchkey/service/machine/random'
import type { CatalogDatabase } from '../catalog/catalog-database.ts'
import type { StorageTables } from '../catalog/schema.ts'
import type { RootKey, RootKeyOptions } from './root-key.ts'

export type StorageMasterKey = Secret<'storage-master-key'>

export interface SharedRootKeyOptions extends RootKeyOptions {
  readonly database: Pick<CatalogDatabase, 'read' | 'change'>
  readonly masterKey: StorageMasterKey
}

const settingName = 'blob_url_salt'

/** Half of the time that a process has to notice a replacement. */
const lookAgainMs = 1000

/** Writes the first salt. Throws `CannotStart` where the salt belongs to another master key. */
export async function openSharedRootKey({
  database,
  masterKey,
  stopwatch,
  randomBytes,
  onFailure,
}: SharedRootKeyOptions): Promise<RootKey> {
  let sentAt = stopwatch()
  let stored = (await database.read(readSalt)) ?? (await addSalt(database, masterKey, randomBytes))
  const opened = openSalt(stored, masterKey)
  if (opened === undefined) throw new CannotStart(otherMasterKey)
  let root: KeyObject = opened
  const look = shareRunning(async () => {
    const sent = stopwatch()
    const now = (await database.read(readSalt)) ?? ''
    sentAt = sent
    if (now === stored) return
    stored = now
    const replaced = openSalt(now, masterKey)
    if (replaced === undefined) onFailure(new CannotStart(otherMasterKey))
    // The old root may have leaked, so it is not used any more.
    root = replaced ?? createSecretKey(randomBytes(32))
  })
  return {
    current: () => root,
    async freshen() {
      if (stopwatch() - sentAt >= lookAgainMs) await look()
    },
  }
}

/** Writes another salt, also where the one before belongs to another master key. */
export async function rotateSharedRootKey(
  { change }: Pick<CatalogDatabase, 'change'>,
  masterKey: StorageMasterKey,
  randomBytes: RandomBytes,
): Promise<void> {
  const value = newSalt(masterKey, randomBytes)
  const done = await change(async (tables) => {
    await tables
      .insertInto('settings')
      .values({ name: settingName, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute()
    return true
  })
  if (isRefusal(done)) throw new Error(done.detail)
}

async function readSalt(tables: StorageTables): Promise<string | undefined> {
  const row = await tables
    .selectFrom('settings')
    .select('value')
    .where('name', '=', settingName)
    .executeTakeFirst()
  return row?.value
}

/** One of two processes that start together writes, and both have what it wrote. */
async function addSalt(
  { change }: Pick<CatalogDatabase, 'change'>,
  masterKey: StorageMasterKey,
  randomBytes: RandomBytes,
): Promise<string> {
  const value = newSalt(masterKey, randomBytes)
  const stored = await change(async (tables) => {
    await tables
      .insertInto('settings')
      .values({ name: settingName, value })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
    return (await readSalt(tables)) ?? value
  })
  if (isRefusal(stored)) throw new Error(stored.detail)
  return stored
}

const saltBytes = 32

/** The salt, and a mark of the master key that it belongs to. Neither tells anything of the root. */
function newSalt(masterKey: StorageMasterKey, randomBytes: RandomBytes): string {
  const salt = randomBytes(saltBytes)
  return `${salt.toString('base64url')}.${markOf(masterKey, salt)}`
}

/** Undefined where it belongs to another master key. */
function openSalt(value: string, masterKey: StorageMasterKey): KeyObject | undefined {
  const [text = '', mark] = value.split('.')
  const salt = Buffer.from(text, 'base64url')
  if (salt.length !== saltBytes || mark !== markOf(masterKey, salt)) return undefined
  return createSecretKey(derive(masterKey, salt, 'latchkey root of blob urls'))
}

function markOf(masterKey: StorageMasterKey, salt: Buffer): string {
  return derive(masterKey, salt, 'latchkey mark of a storage master key').toString('base64url')
}

function derive(masterKey: StorageMasterKey, salt: Buffer, purpose: string): Buffer {
  const secret = Buffer.from(masterKey.reveal(), 'base64')
  return Buffer.from(hkdfSync('sha256', secret, salt, purpose, 32))
}

const otherMasterKey =
  'the key of blob URLs in the catalogue belongs to another LATCHKEY_STORAGE_MASTER_KEY than this process has. Give every storage of the catalogue the same one; "latchkey storage rotate-key" with it replaces the key.'
