/** The key that encrypts the signing keys: given by the operator, or made once beside the data. */

import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSecretKey, type Secret } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/cannot-start'

export type MasterKey = Secret<'master-key'>

/** 32 bytes in base64; undefined for anything else. */
export function parseMasterKey(text: string): MasterKey | undefined {
  return parseSecretKey('master-key', text)
}

export function masterKeyFile(data: string): string {
  return join(data, 'master.key')
}

/** Reads the key file, or makes it while nothing has been encrypted yet. */
export function loadMasterKey(data: string, { mayMake }: { mayMake: boolean }): MasterKey {
  const file = masterKeyFile(data)
  if (statSync(file, { throwIfNoEntry: false }) === undefined) {
    if (!mayMake) {
      throw new CannotStart(
        `the signing keys are encrypted, but ${file} is missing and LATCHKEY_MASTER_KEY is not set. Restore the one or set the other: a new key could not open the old ones.`,
      )
    }
    makeKeyFile(file)
  }
  return readKeyFile(file)
}

function readKeyFile(file: string): MasterKey {
  const mode = statSync(file).mode & 0o777
  if ((mode & 0o077) !== 0) {
    throw new CannotStart(
      `${file} can be read by other users (mode ${mode.toString(8)}). Run "chmod 600 ${file}".`,
    )
  }
  const key = statSync(file).isFile() ? parseMasterKey(readFileSync(file, 'utf8')) : undefined
  if (key === undefined) {
    throw new CannotStart(`${file} does not hold 32 bytes in base64. Restore it from your backup.`)
  }
  return key
}

/** Linked into place only when whole: a crash leaves no half key, and of two makers one wins. */
function makeKeyFile(file: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}.new`
  const descriptor = openSync(draft, 'wx', 0o600)
  try {
    writeFileSync(descriptor, `${randomBytes(32).toString('base64')}\n`)
    fsyncSync(descriptor)
    linkSync(draft, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    closeSync(descriptor)
    unlinkSync(draft)
  }
  syncDirectory(dirname(file))
}

/** A key that encrypts something must not be lost with the power. */
function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
