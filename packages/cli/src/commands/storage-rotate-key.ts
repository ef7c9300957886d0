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
    .summary('replace the key of blob URLs, after a leak')
    .description(
      `Replaces the key from which the storage derives those that sign the short-lived URLs of content. The key that signs changes every day by itself; run this when the file may have been read by others. A running storage takes the new key within ${noticeSeconds} s, without a restart, and refuses every URL that was signed before. Clients ask for new ones.`,
    )
    .addHelpText('after', teaching)
    .action(rotateKey)
  return addConfigurationFlags(command, 'manage')
}

const teaching = `
Examples:
  latchkey storage rotate-key
  latchkey storage rotate-key --data ./latchkey-storage-data

The key lies in the data directory: ${embeddedRootKeyName} where "latchkey serve" runs the
storage, ${rootKeyName} where "latchkey storage serve" does. Storage tokens are not signed with it
and go on working; "latchkey keys rotate" is for the keys that sign them.`

async function rotateKey(flags: Flags): Promise<void> {
  const data = maintenanceData(readConfiguration(flags, process.env))
  const files = [embeddedRootKeyName, rootKeyName]
    .map((name) => join(data, name))
    .filter(isKeyFileThere)
  if (files.length === 0) {
    throw unavailable(
      `there is no key of blob URLs in ${data}: no storage has run on this data directory. Name that of the storage with --data.`,
    )
  }
  await recordCommand(data, {
    verb: 'storage rotate-key',
    target: () => ({}),
    work: async () => files.forEach(replace),
  })
  tell(`the key of blob URLs in ${data} is another one now`)
  tell(
    `URLs that were signed with the old one are dead, at a running storage within ${noticeSeconds} s; clients ask for new ones`,
  )
}

function replace(file: string): void {
  try {
    replaceKeyFile(file)
  } catch (error) {
    throw cannotWrite(file, error)
  }
}
