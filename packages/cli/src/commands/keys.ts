/** `latchkey keys …`: the verbs of the keys, and what is done with their data directory alone. */

import { existsSync } from 'node:fs'
import {
  type MasterKey,
  type RewrapKeys,
  type RewrapResult,
  replaceLostKeys,
  rewrapKeys,
  rewrapKeysOf,
  type Store,
} from '@latchkey/hub/management'
import { isRefusal } from '@latchkey/protocol'
import { machineUser } from '@latchkey/service/machine/data-directory'
import { readKeyFile } from '@latchkey/service/machine/files'
import { systemClock } from '@latchkey/service/machine/time'
import { quoteGiven } from '@latchkey/service/text'
import { Command } from 'commander'
import { addConfigurationFlags } from '../configuration/flags.ts'
import { notAllowed } from '../configuration/given.ts'
import { storeSettings } from '../configuration/hub-settings.ts'
import { masterKey as kind } from '../configuration/kind.ts'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import {
  type Environment,
  newMasterKeyVariable,
  takeSecret,
} from '../configuration/read-environment.ts'
import { recordCommand } from '../management/command-log.ts'
import { openLocalStore } from '../management/local-store.ts'
import { stopFor } from '../management/refusal-line.ts'
import { refused, unavailable, wrongUsage } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import { nounCommand } from './noun.ts'

export function keysCommand(): Command {
  return nounCommand('keys', 'list and rotate signing keys', [keysRewrapCommand()])
}

function keysRewrapCommand(): Command {
  const command = new Command('rewrap')
    .summary('encrypt the signing keys with another master key')
    .description(
      'Encrypts every signing key with a new master key, in one transaction, on the data directory of this machine. The old master key comes from LATCHKEY_MASTER_KEY or the file master.key. The new one comes from LATCHKEY_NEW_MASTER_KEY, LATCHKEY_NEW_MASTER_KEY_FILE or --new-key-file; otherwise the command creates it and writes it to master.key. Restart every hub afterwards.',
    )
    .option('--new-key-file <file>', 'A file that holds the new master key: 32 bytes in base64.')
    .option(
      '--lost',
      'The old master key is lost: every signing key is removed and revoked, and new ones sign.',
    )
    .addHelpText('after', teaching)
    .action(rewrap)
  return addConfigurationFlags(command, 'manage')
}

const teaching = `
Examples:
  latchkey keys rewrap                                        a new master.key
  LATCHKEY_NEW_MASTER_KEY_FILE=new.key latchkey keys rewrap   one that you keep yourself

The signing keys stay the same, so tokens stay valid. If the master key leaked together with the
database, the signing keys have leaked too: also run "latchkey keys rotate --compromised", for
both uses. You can run an interrupted command again: no step loses a key.`

async function rewrap({ newKeyFile, lost, ...flags }: Flags): Promise<void> {
  const next = readNewMasterKey(newKeyFile, process.env)
  const { values } = readConfiguration(flags, process.env)
  const { masterKey: current } = values
  if (next === undefined && current !== undefined) throw nowhereToKeep()
  const settings = storeSettings(values)
  if (settings.demo) throw demoData(settings.data)
  const store = await openLocalStore(settings, { create: false })
  try {
    const keys = rewrapKeysOf(settings.data, { current, next })
    const work = () => sealAnew(store, keys, lost === true)
    const target = () => ({ lost: lost === true })
    const done = await recordCommand(settings.data, { verb: 'keys rewrap', target, work })
    if (isRefusal(done)) {
      keys.discard()
      throw stopFor(done)
    }
    const oldFile = keys.putInPlace()
    tellPeople(done, { oldFile, isFile: next === undefined })
  } finally {
    await store.close()
  }
}

function sealAnew({ directory }: Store, { old, next }: RewrapKeys, isLost: boolean) {
  const origin = { verb: 'keys rewrap', user: machineUser() }
  const rewrapping = { old, next, origin, now: systemClock() }
  return isLost ? replaceLostKeys(directory, rewrapping) : rewrapKeys(directory, rewrapping)
}

const words: Readonly<Record<RewrapResult['did'], string>> = {
  rewrapped: 'signing keys are encrypted with the new master key; tokens stay valid',
  replaced:
    'signing keys were lost with the old master key: they are removed and revoked, and new ones sign',
  already:
    'signing keys were encrypted with this master key already; the interrupted work is complete',
}

function tellPeople(
  { did, keys }: RewrapResult,
  { oldFile, isFile }: { readonly oldFile: string | undefined; readonly isFile: boolean },
): void {
  tell(`${keys} ${words[did]}`)
  if (isFile) tell('the new master key is in master.key: keep a copy of it in another place')
  else tell('the new master key is in no file here: set LATCHKEY_MASTER_KEY, or its _FILE, to it')
  if (oldFile !== undefined) {
    tell(`the old one is kept in ${oldFile}, for older backups: delete it together with them`)
  }
  const meanwhile =
    did === 'replaced'
      ? 'running hubs cannot sign with keys that are removed'
      : 'running hubs continue with the keys that they have opened, and create no new ones'
  tell(`${meanwhile}: restart each of them with the new master key`)
}

function nowhereToKeep() {
  return wrongUsage(
    'the master key comes from LATCHKEY_MASTER_KEY, which wins over a file, so the new one must be given as well: set LATCHKEY_NEW_MASTER_KEY or LATCHKEY_NEW_MASTER_KEY_FILE, or name a file with --new-key-file',
  )
}

function demoData(data: string) {
  return refused(
    `the data directory ${data} belongs to the demo, whose keys need no protection: delete it, and the next start creates another`,
  )
}

/** Undefined where none is given. */
function readNewMasterKey(file: unknown, environment: Environment): MasterKey | undefined {
  const secret = takeSecret(environment, newMasterKeyVariable)
  if (typeof file !== 'string') return secret && checked(secret)
  if (secret !== undefined) {
    throw wrongUsage(`--new-key-file and ${secret.called} are both given; give one of them`)
  }
  if (!existsSync(file)) throw unavailable(`--new-key-file: there is no file ${quoteGiven(file)}`)
  return readKeyFile('master-key', file, 'Make one with "openssl rand -base64 32".')
}

function checked({ value, called }: { value: string; called: string }): MasterKey {
  const key = kind.read(value)
  if (key !== undefined) return key
  throw notAllowed({ called, value, written: value, allowed: kind.allowed, secret: true })
}
