/** `latchkey storage rotate-key`: another key for the URLs of content, after a leak. */

import { join } from 'node:path'
import { isKeyFileThere, replaceKeyFile } from '@latchkey/service/machine/files'
import { pooledRandom } from '@latchkey/service/machine/random'
import {
  openCatalogOf,
  rotateSharedRootKey,
  type StorageMasterKey,
} from '@latchkey/storage/maintenance'
import { embeddedRootKeyName, noticeMs, rootKeyName } from '@latchkey/storage/root-key'
import { Command } from 'commander'
import { storageDatabase } from '../configuration/database-place.ts'
import {
  type Configuration,
  type Flags,
  readConfiguration,
} from '../configuration/read-configuration.ts'
import { storageMasterKey } from '../configuration/storage-settings.ts'
import { recordCommand } from '../management/command-log.ts'
import { maintenanceData } from '../management/maintenance-data.ts'
import { recordedData } from '../management/with-maintenance.ts'
import { cannotWrite } from '../output/new-file.ts'
import { unavailable } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import { addStorageFlags } from './storage-repository.ts'

const noticeSeconds = noticeMs / 1000

export function storageRotateKeyCommand(): Command {
  const command = new Command('rotate-key')
    .summary('replace the key that signs blob URLs, after a leak')
    .description(
      `Replaces the root key of the keys that sign the short-lived URLs of content. The signing key changes every day; run this command if others may have read the root key. A running storage uses the new key within ${noticeSeconds} s, without a restart, and rejects every URL that was signed before. Clients request new URLs.`,
    )
    .addHelpText('after', teaching)
    .action(rotateKey)
  return addStorageFlags(command)
}

const teaching = `
Examples:
  latchkey storage rotate-key
  latchkey storage rotate-key --data ./latchkey-storage-data

The key is in the data directory: ${embeddedRootKeyName} where "latchkey serve" runs the
storage, ${rootKeyName} where "latchkey storage serve" does. With LATCHKEY_STORAGE_MASTER_KEY it
is in the catalogue, for all storages that share it. It does not sign storage tokens, so these
stay valid; "latchkey keys rotate" replaces the keys that sign them.`

async function rotateKey(flags: Flags): Promise<void> {
  const configuration = readConfiguration(flags, process.env)
  const { masterKey } = storageMasterKey(configuration)
  const place = await (masterKey === undefined
    ? rotateInFiles(configuration)
    : rotateInCatalogue(configuration, masterKey))
  tell(`the blob URL key in ${place} is replaced`)
  tell(
    `a running storage rejects URLs of the old key within ${noticeSeconds} s; clients request new ones`,
  )
}

/** Gives where the key is. */
async function rotateInFiles(configuration: Configuration): Promise<string> {
  const data = maintenanceData(configuration)
  const files = [embeddedRootKeyName, rootKeyName]
    .map((name) => join(data, name))
    .filter(isKeyFileThere)
  if (files.length === 0) {
    throw unavailable(
      `no blob URL key in ${data}: no storage has run on this data directory. Pass the storage's data directory with --data.`,
    )
  }
  await recordCommand(data, { ...recorded, work: async () => files.forEach(replace) })
  return data
}

async function rotateInCatalogue(
  configuration: Configuration,
  masterKey: StorageMasterKey,
): Promise<string> {
  const data = recordedData(configuration)
  const database = await openCatalogOf({ data, ...storageDatabase(configuration) })
  try {
    const work = () => rotateSharedRootKey(database, masterKey, pooledRandom())
    await recordCommand(data, { ...recorded, work })
    return 'the catalogue'
  } finally {
    await database.close()
  }
}

const recorded = { verb: 'storage rotate-key', target: () => ({}) }

function replace(file: string): void {
  try {
    replaceKeyFile(file)
  } catch (error) {
    throw cannotWrite(file, error)
  }
}
