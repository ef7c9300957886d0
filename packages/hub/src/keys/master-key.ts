/** The key that encrypts the signing keys: given by the operator, or made once beside the data. */

import { join } from 'node:path'
import { parseSecretKey, type Secret } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import { isKeyFileThere, makeKeyFile, readKeyFile } from '@latchkey/service/machine/files'

export type MasterKey = Secret<'master-key'>

/** 32 bytes in base64; undefined for anything else. */
export function parseMasterKey(text: string): MasterKey | undefined {
  return parseSecretKey('master-key', text)
}

export function masterKeyFile(data: string): string {
  return join(data, 'master.key')
}

/** Where `keys rewrap` keeps the next one until the keys are sealed with it. */
export function nextMasterKeyFile(data: string): string {
  return `${masterKeyFile(data)}.new`
}

/** The one in use, and the next one, as far as they are there. */
export function masterKeysIn(data: string): readonly MasterKey[] {
  return [masterKeyFile(data), nextMasterKeyFile(data)].filter(isKeyFileThere).map(readMasterKey)
}

export function readMasterKey(file: string): MasterKey {
  return readKeyFile('master-key', file, 'Restore it from your backup.')
}

/** Reads the key file, or makes it while nothing has been encrypted yet. */
export function loadMasterKey(data: string, { mayMake }: { mayMake: boolean }): MasterKey {
  const file = masterKeyFile(data)
  if (!isKeyFileThere(file)) {
    if (!mayMake) {
      throw new CannotStart(
        `the signing keys are encrypted, but ${file} is missing and LATCHKEY_MASTER_KEY is not set. Restore the one or set the other: a new key could not open the old ones.`,
      )
    }
    makeKeyFile(file)
  }
  return readMasterKey(file)
}
