/** `latchkey storage rotate-key`: another key for the URLs of content, after a leak. */

import { join } from 'node:path'
import { isKeyFileThere, replaceKeyFile } from '@latchkey/service/machine/files'
import { embeddedRootKeyName, noticeMs, rootKeyName } from '@latchkey/storage/root-key'
import { Command } from 'commander'
import { addConfigurationFlags } from '../configuration/flags.ts'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { recordCommand } from '../management/command-log.ts'
import { maintenanceData } from '../management/maintenance-data.ts'
import { cannotWrite } from '../output/new-file.ts'
import { unavailable } from '../output/stop.ts'
import { tell } from '../output/tell.ts'

const noticeSeconds = noticeMs / 1000

export function storageRotateKeyCommand(): Command {
  const command = new Command('rotate-key')
    .summary('replace the key that signs blob URLs, after a leak')
    .description(
      `Replaces the root key of the keys that sign the short-lived URLs of content. The signing key changes every day; run this command if others may have read the root key. A running storage uses the new key within ${noticeSeconds} s, without a restart, and rejects every URL that was signed before. Clients request new URLs.`,
    )
    .addHelpText('after', teaching)
    .action(rotateKey)
  return addConfigurationFlags(command, 'manage')
}

const teaching = `
Examples:
  latchkey storage rotate-key
  latchkey storage rotate-key --data ./latchkey-storage-data

The key is in the data directory: ${embeddedRootKeyName} where "latchkey serve" runs the
storage, ${rootKeyName} where "latchkey storage serve" does. It does not sign storage tokens,
so these stay valid; "latchkey keys rotate" replaces the keys that sign them.`

async function rotateKey(flags: Flags): Promise<void> {
  const data = maintenanceData(readConfiguration(flags, process.env))
  const files = [embeddedRootKeyName, rootKeyName]
    .map((name) => join(data, name))
    .filter(isKeyFileThere)
  if (files.length === 0) {
    throw unavailable(
      `no blob URL key in ${data}: no storage has run on this data directory. Pass the storage's data directory with --data.`,
    )
  }
  await recordCommand(data, {
    verb: 'storage rotate-key',
    target: () => ({}),
    work: async () => files.forEach(replace),
  })
  tell(`the blob URL key in ${data} is replaced`)
  tell(
    `a running storage rejects URLs of the old key within ${noticeSeconds} s; clients request new ones`,
  )
}

function replace(file: string): void {
  try {
    replaceKeyFile(file)
  } catch (error) {
    throw cannotWrite(file, error)
  }
}
