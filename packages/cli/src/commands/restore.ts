/** `latchkey restore DIR`: an empty data directory becomes what the backup has, without what was taken away since. */

import { existsSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { restoreRepositories } from '@latchkey/forge/backup'
import {
  databaseIn,
  lostDatabase,
  type OpenJournal,
  openJournal,
  refuseNewerHub,
  restoredDatabase,
  restoreHub,
} from '@latchkey/hub/backup'
import { prepareDataDirectory, sqliteFile } from '@latchkey/hub/management'
import { isRefusal, type Secret } from '@latchkey/protocol'
import { empty, isFree, makeFile, type RestoredFile, withBesides } from '@latchkey/service/backup'
import { machineUser } from '@latchkey/service/machine/data-directory'
import { CannotStart } from '@latchkey/service/machine/errors'
import { pooledRandom } from '@latchkey/service/machine/random'
import { systemClock } from '@latchkey/service/machine/time'
import { quoteGiven } from '@latchkey/service/text'
import {
  heardNumber,
  refuseNewerCatalogue,
  restoreCatalogue,
  restoreContent,
  restoredCatalogue,
} from '@latchkey/storage/backup'
import { type CountedObjects, countMissingIn } from '@latchkey/storage/maintenance'
import { Command } from 'commander'
import { readManifest } from '../backup/manifest.ts'
import { chooseParts, type Parts, progressLine } from '../backup/parts.ts'
import { storageDatabase } from '../configuration/database-place.ts'
import { addConfigurationFlags, addOptionFlags } from '../configuration/flags.ts'
import { storeSettings } from '../configuration/hub-settings.ts'
import { ownDataDirectory } from '../configuration/linked-storage-settings.ts'
import { storageObjects } from '../configuration/objects-place.ts'
import {
  type Configuration,
  type Flags,
  readConfiguration,
} from '../configuration/read-configuration.ts'
import { recordCommand } from '../management/command-log.ts'
import { stopFor } from '../management/refusal-line.ts'
import { cannotWrite } from '../output/new-file.ts'
import { refused, Stop, unavailable, wrongUsage } from '../output/stop.ts'
import { type BroughtBack, showRestored } from './restore-report.ts'

export function restoreCommand(): Command {
  const command = new Command('restore')
    .description(
      'Creates a data directory from a backup. The data directory must be empty or not exist; with --only, the command restores the hub or the storage into an existing one. A hub token that was revoked after the backup would work again: name the lost data directory with --journal, and the command repeats every change that reduced access. Without it, the command lists the accounts and hub tokens that work again. Clients get new storage URLs, so that they upload missing content again.',
    )
    .argument('<dir>', 'the folder that "latchkey backup" has written')
    .option(
      '--journal <directory>',
      'The lost data directory, or its database file; the command only reads it.',
    )
    .option(
      '--only <hub|storage>',
      'Restore only the hub or only the storage. The rest of the data directory stays unchanged.',
    )
    .option('--json', 'Print JSON for machines instead of lines for people.')
    .addHelpText('after', teaching)
    .action(restore)
  const withPlaces = addOptionFlags(addConfigurationFlags(command, 'manage'), 'catalogue')
  return addOptionFlags(withPlaces, 'backup')
}

const teaching = `
Examples:
  latchkey restore backups/monday --data new-data --journal latchkey-data
  latchkey restore backups/monday --data new-data | tee usable.sh   choose which of them to end

Afterwards:
  put the master key (master.key) into the data directory, or set LATCHKEY_MASTER_KEY
  latchkey storage verify --data new-data      is all of the content there?
  latchkey serve --data new-data

Only one side, with its lost database moved away:
  latchkey restore backups/monday --only hub --journal lost/latchkey.db
                    then: latchkey serve, and latchkey storage reconcile
  latchkey restore backups/monday --only storage
                    then: latchkey storage reset-urls, at the hub

Objects and permissions that were added after the backup do not come back.`

async function restore(
  folderName: string,
  { json, journal, only, ...flags }: Flags,
): Promise<void> {
  const folder = resolve(folderName)
  const manifest = readManifest(folder)
  const parts = chooseParts(folder, manifest, { only, journal })
  const configuration = readConfiguration(flags, process.env)
  const { values } = configuration
  const { database, ...settings } = storeSettings(values)
  const isOfStorageAlone = manifest.database === null && values.data === undefined
  const data = isOfStorageAlone ? ownDataDirectory : settings.data
  const { database: catalogue } = storageDatabase(configuration)
  const isInFile = typeof database === 'string'
  if (parts.journal !== undefined && !isInFile) throw notIntoPostgres
  if (parts.hasContent && catalogue !== undefined) throw noCatalogueIntoPostgres
  // Where the hub stays in its PostgreSQL, no file of its name is made.
  const file = isInFile ? sqliteFile(data, database) : databaseIn(data)
  const place = { data, file: resolve(file) }
  const { bucket } = manifest
  const old = typeof journal === 'string' ? openJournal(oldDatabase(journal)) : undefined
  refuseNewer(folder, parts)
  const restored = await intoData(place, parts, () =>
    recordCommand(data, {
      verb: 'restore',
      target: () => ({ folder }),
      work: () => bringBack(folder, { parts, place, bucket, catalogue, old: old?.tables }),
    }),
  ).finally(() => old?.close())
  const found =
    parts.hasContent && bucket !== null ? await lookInBucket(configuration, data) : undefined
  showRestored({ data, manifest, parts, found, ...restored }, json === true)
}

const notIntoPostgres = wrongUsage(
  'a backup is restored into a file: give --database sqlite:latchkey.db, and then copy that into an empty PostgreSQL with "latchkey migrate --from sqlite:latchkey.db --to postgres://…"',
)

const noCatalogueIntoPostgres = wrongUsage(
  'a backup is restored into files: give --storage-database sqlite:storage.db, and then copy the catalogue into an empty PostgreSQL with "latchkey migrate --only storage --from sqlite:storage.db --to postgres://…"',
)

/** Before anything is written: a backup of a newer version cannot be opened. */
function refuseNewer(folder: string, { journal, hasContent }: Parts): void {
  if (journal !== undefined) refuseNewerHub(folder)
  if (hasContent) refuseNewerCatalogue(folder)
}

function oldDatabase(name: string): string {
  const file = lostDatabase(name)
  if (existsSync(file)) return file
  throw unavailable(
    `--journal: there is no database ${quoteGiven(file)}; name the old data directory`,
  )
}

/** Undefined where no bucket is configured. */
async function lookInBucket(
  configuration: Configuration,
  data: string,
): Promise<CountedObjects | undefined> {
  const { objects } = storageObjects(configuration, data)
  return objects && countMissingIn(data, objects)
}

interface Given {
  readonly parts: Parts
  readonly place: DataPlace
  /** Where the objects of the backup have stayed; null if they are in it. */
  readonly bucket: string | null
  /** The PostgreSQL of a catalogue that stays as it is. */
  readonly catalogue: Secret<'database-url'> | undefined
  readonly old: OpenJournal['tables'] | undefined
}

async function bringBack(
  folder: string,
  { parts, place, bucket, catalogue, old }: Given,
): Promise<BroughtBack> {
  const { data, file } = place
  const { journal, hasContent } = parts
  const line = progressLine()
  const isCopied = hasContent && bucket === null
  const objects = isCopied
    ? await restoreContent(folder, data, line.show).finally(line.end)
    : undefined
  if (hasContent && bucket !== null) restoreCatalogue(folder, data)
  if (journal === undefined) return { objects }
  // Before the database has its name. The forge sets refs to what the directory has.
  await restoreRepositories(folder, data)
  const heard = await heardNumber({ data, database: catalogue })
  const hub = await restoreHub(
    { folder, data, file, journal, old, heard, hasContent },
    {
      origin: { verb: 'restore', user: machineUser() },
      now: systemClock(),
      nowMs: Date.now,
      randomBytes: pooledRandom(),
    },
  )
  if (isRefusal(hub)) throw stopFor(hub)
  return { objects, hub }
}

interface DataPlace {
  readonly data: string
  /** The file that the hub's database will be. */
  readonly file: string
}

/** The drafts are there before anything else, so that nothing can be started on a restore that was cut off. */
async function intoData<Result>(
  place: DataPlace,
  parts: Parts,
  work: () => Promise<Result>,
): Promise<Result> {
  refuseOccupied(place, parts)
  const { data } = place
  const drafts = filesOf(place, parts).map(({ draft }) => draft)
  const isNew = !existsSync(data)
  try {
    prepareDataDirectory(data, { create: true })
    for (const draft of drafts) makeFile(draft)
    return await work()
  } catch (error) {
    if (!parts.isOnly && existsSync(data)) empty(data)
    if (isNew) rmSync(data, { recursive: true, force: true })
    for (const draft of drafts.flatMap(withBesides)) rmSync(draft, { force: true })
    const isTold = error instanceof Stop || error instanceof CannotStart
    throw isTold ? error : cannotWrite(data, error)
  }
}

function refuseOccupied(place: DataPlace, parts: Parts): void {
  const { data, file } = place
  if (!parts.isOnly && !isFree(data)) throw occupied(data)
  const there = filesOf(place, parts)
    .flatMap(({ name, draft }) => [...withBesides(name), draft])
    .find((path) => existsSync(path))
  if (there !== undefined) throw parts.isOnly ? inTheWay(there) : occupied(there)
  if (!parts.isOnly && existsSync(file)) throw occupied(file)
}

function filesOf(
  { data, file }: DataPlace,
  { journal, hasContent }: Parts,
): readonly RestoredFile[] {
  return [
    ...(journal === undefined ? [] : [restoredDatabase(file)]),
    ...(hasContent ? [restoredCatalogue(data)] : []),
  ]
}

function occupied(path: string): Stop {
  return refused(
    `${quoteGiven(path)} exists already, and a restore overwrites no files: name a data directory with --data that is empty or does not exist. You can delete the files of an interrupted restore.`,
  )
}

function inTheWay(path: string): Stop {
  return refused(
    `${quoteGiven(path)} exists already, and a restore overwrites no files: stop the programs that use it, and move it away together with its -wal and -shm. You can delete the files of an interrupted restore.`,
  )
}
