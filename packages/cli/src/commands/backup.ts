/** `latchkey backup DIR`: everything but the master key, of one moment, taken while hub and storage run. */

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { quoteGiven } from '@latchkey/service/text'
import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { intoNewFolder } from '../backup/into-new-folder.ts'
import type { Manifest } from '../backup/manifest.ts'
import { progressLine } from '../backup/parts.ts'
import { takeBackup } from '../backup/take-backup.ts'
import { storageDatabase } from '../configuration/database-place.ts'
import { addConfigurationFlags, addOptionFlags } from '../configuration/flags.ts'
import { storeSettings } from '../configuration/hub-settings.ts'
import { bucketOf } from '../configuration/objects-place.ts'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { recordCommand } from '../management/command-log.ts'
import { isStorageAlone, refuseEmptyData } from '../management/hub-side.ts'
import { openLocalStore } from '../management/local-store.ts'
import { maintenanceData } from '../management/maintenance-data.ts'
import { jsonText, print } from '../output/show-result.ts'
import { refused, type Stop, wrongUsage } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import { isOwnData } from '../serve/own-data.ts'
import { counted } from './storage-repository.ts'

export function backupCommand(): Command {
  const command = new Command('backup')
    .description(
      'Writes the data for a restore, except for the master key, to the folder DIR, readable by its owner only: the database of the hub, the catalogue and the objects of the storage, and the git repositories. Hub and storage may be running. DIR must be empty or not exist. A backup that fails deletes its files; an interrupted backup has no backup.json.',
    )
    .argument('<dir>', 'where the backup goes')
    .option('--json', 'Print JSON for machines instead of lines for people.')
    .addHelpText('after', teaching)
    .action(backup)
  const withPlaces = addOptionFlags(addConfigurationFlags(command, 'manage'), 'catalogue')
  return addOptionFlags(withPlaces, 'backup')
}

const teaching = `
Example:
  latchkey backup backups/monday

Objects are hard links if the file system supports them, which takes no space, and copies otherwise.
Copy the folder to another disk afterwards: if this disk fails, its links are lost too.
Data in PostgreSQL is copied to files as one snapshot, so that any machine can restore it.
The signing keys in it are encrypted. The master key (master.key), commands.log and your
configuration are not in it: keep them in another place. If the storage runs without its hub, the
backup has only the storage: back up the hub separately.

To restore: latchkey restore --help`

async function backup(folderName: string, { json, ...flags }: Flags): Promise<void> {
  const folder = resolve(folderName)
  refuseFileName(folderName)
  const configuration = readConfiguration(flags, process.env)
  const settings = {
    ...storeSettings(configuration.values),
    data: maintenanceData(configuration),
  }
  refuseEmptyData(configuration, settings.data)
  // Where a hub has lost its database, there is no key of blob URLs: the backup must not look like one of everything.
  const isAlone = isStorageAlone(configuration) && isOwnData(settings.data)
  const store = isAlone ? undefined : await openLocalStore(settings, { create: false })
  const { database: catalogue } = storageDatabase(configuration)
  const bucket = bucketOf(configuration)
  const place = { store, data: settings.data, catalogue, bucket }
  const work = () => intoNewFolder(folder, () => take(folder, place))
  const target = () => ({ folder })
  const recorded = recordCommand(settings.data, { verb: 'backup', target, work })
  const manifest = await recorded.finally(() => store?.close())
  if (json === true) print(jsonText(manifest))
  else tellPeople(folderName, manifest)
  if (manifest.missing > 0) throw lacking(manifest.missing)
}

/** Earlier versions wrote the database to one file. */
function refuseFileName(folderName: string): void {
  const isFile = statSync(folderName, { throwIfNoEntry: false })?.isFile() === true
  if (!isFile && !/\.(?:db|sqlite3?)$/.test(folderName)) return
  throw wrongUsage(
    `<dir>: ${quoteGiven(folderName)} looks like a file, and a backup is a folder with the database, the catalogue and the objects in it; name a folder, such as backups/monday`,
  )
}

type Place = Pick<Parameters<typeof takeBackup>[1], 'store' | 'data' | 'catalogue' | 'bucket'>

async function take(folder: string, place: Place): Promise<Manifest> {
  const line = progressLine()
  const watch = {
    onProgress: line.show,
    onRepeat(objects: number, repositories: number) {
      line.end()
      const what = [
        ...(objects > 0 ? [`${counted(objects, 'object')} of the storage`] : []),
        ...(repositories > 0 ? [counted(repositories, 'repository', 'repositories')] : []),
      ].join(' and ')
      tell(`${what} disappeared during the backup: copying the databases once more`)
    },
  }
  const takenAt = new Date().toISOString()
  const taking = { ...place, takenAt, latchkey: manifest.version, watch }
  return takeBackup(folder, taking).finally(line.end)
}

function tellPeople(folderName: string, manifest: Manifest): void {
  const { journal, bucket, repositories } = manifest
  const content = contentText(manifest)
  if (journal === null) {
    tell(`the backup is in ${folderName}: a storage without its hub; ${content}`)
    tell(`blob-url-key is not in it: a restored storage creates a new one. ${copyIt}`)
    tell('the hub is not in it: back that up on its own machine')
    if (bucket !== null) tell(keepBucket(bucket))
    return
  }
  tell(
    `the backup is in ${folderName}: the hub up to journal entry ${journal}; ${content}${inGit(repositories.count)}`,
  )
  tell(`the master key is not in it: keep that in another place. ${copyIt}`)
  if (bucket !== null) tell(keepBucket(bucket))
}

function contentText({ catalogue, bucket, objects }: Manifest): string {
  if (catalogue === null) return 'without content, because there is no storage here'
  if (bucket !== null) return 'the catalogue without its objects'
  return `${counted(objects.count, 'object')}, ${counted(objects.bytes, 'byte')}`
}

function keepBucket(bucket: string): string {
  return `the objects are not in it: they are in ${bucket}. Replicate that bucket, and keep deleted objects for at least as long as this backup (storage.deletedKeepDays).`
}

function inGit(count: number): string {
  return count === 0 ? '' : `; ${counted(count, 'repository', 'repositories')} in git`
}

const copyIt = 'Copy the backup to another disk.'

function lacking(missing: number): Stop {
  return refused(
    `the backup is complete, but the storage itself lacks ${counted(missing, 'object')} of its catalogue: "latchkey storage verify" lists the files`,
  )
}
