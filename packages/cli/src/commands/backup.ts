/** `latchkey backup FILE`: a consistent copy of the database, taken while the hub runs. */

import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fchmodSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Store } from '@latchkey/hub/management'
import { Command } from 'commander'
import { addConfigurationFlags } from '../configuration/flags.ts'
import { storeSettings } from '../configuration/hub-settings.ts'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { recordCommand } from '../management/command-log.ts'
import { openLocalStore } from '../management/local-store.ts'
import { cannotWrite } from '../output/new-file.ts'
import { tell } from '../output/tell.ts'

export function backupCommand(): Command {
  const command = new Command('backup')
    .description(
      'Writes a consistent copy of the database to FILE, for its owner only. FILE must not exist: nothing is overwritten, and a backup that fails leaves no file.',
    )
    .argument('<file>', 'where the copy goes')
    .addHelpText('after', teaching)
    .action(backup)
  return addConfigurationFlags(command, 'manage')
}

const teaching = `
Example:
  latchkey backup backups/monday.db

The content is not in it: copy objects/ of the data directory too, after the database, by any means;
objects/drafts is not needed. Run no storage gc or forget between the two.
The signing keys in it are encrypted: keep the master key (master.key) too, in another place.

To restore:
  stop the hub
  remove latchkey.db-wal and latchkey.db-shm from the data directory
  put the copies in place of latchkey.db, master.key and objects/
  latchkey storage verify        is all of the content there?
  latchkey storage readdress     so that clients rely on nothing that came after the backup
  start the hub`

async function backup(file: string, flags: Flags): Promise<void> {
  const { values } = readConfiguration(flags, process.env)
  const settings = storeSettings(values)
  const store = await openLocalStore(settings, { create: false })
  const target = () => ({ file: resolve(file) })
  const work = () => copyTo(store, file)
  await recordCommand(settings.data, { verb: 'backup', target, work }).finally(() => store.close())
  tell(
    `the database is copied to ${file}; copy objects/ next, and keep the master key too, in another place`,
  )
}

async function copyTo(store: Store, file: string): Promise<void> {
  const draft = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`)
  try {
    if (existsSync(file)) throw Object.assign(new Error(), { code: 'EEXIST' })
    closeSync(openSync(draft, 'wx', 0o600))
    await store.backup(draft)
    settle(draft)
    // Unlike a rename, a link never replaces a file that has appeared meanwhile.
    linkSync(draft, file)
  } catch (error) {
    throw cannotWrite(file, error)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** On the disk before it gets its name. */
function settle(draft: string): void {
  const descriptor = openSync(draft, 'r+')
  fchmodSync(descriptor, 0o600)
  fsyncSync(descriptor)
  closeSync(descriptor)
}
