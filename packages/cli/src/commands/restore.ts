/** `latchkey restore DIR`: an empty data directory becomes what the backup has, without what was taken away since. */

import { existsSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  type Origin,
  openJournal,
  prepareDataDirectory,
  raiseEpochs,
  repeatNarrowing,
  type Store,
  sqliteFile,
} from '@latchkey/hub/management'
import { isRefusal } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/cannot-start'
import { machineUser } from '@latchkey/service/machine-user'
import { pooledRandom } from '@latchkey/service/random'
import { systemClock } from '@latchkey/service/system-clock'
import { Command } from 'commander'
import { findUsable } from '../backup/back-to-life.ts'
import { copyContent, type Place, withDatabase } from '../backup/copy-back.ts'
import { empty, isFree } from '../backup/files.ts'
import { type Manifest, names, readManifest } from '../backup/manifest.ts'
import { progressLine } from '../backup/progress-line.ts'
import { addConfigurationFlags } from '../configuration/flags.ts'
import { storeSettings } from '../configuration/hub-settings.ts'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { recordCommand } from '../management/command-log.ts'
import { stopFor } from '../management/refusal-line.ts'
import { quoteGiven } from '../output/escape.ts'
import { cannotWrite } from '../output/new-file.ts'
import { refused, Stop, unavailable } from '../output/stop.ts'
import { type Restored, showRestored } from './restore-report.ts'

export function restoreCommand(): Command {
  const command = new Command('restore')
    .description(
      'Makes a data directory of a backup. The data directory must not exist or be empty. A hub token that was revoked after the backup would work again: name the lost data directory with --journal, and everything that was taken away since is taken away again. Without it, the accounts and hub tokens that work again are listed. Clients get new addresses of the storage, so that they send again what the backup does not have.',
    )
    .argument('<dir>', 'the folder that "latchkey backup" has written')
    .option(
      '--journal <old>',
      'The data directory that was lost, or its database file; it is only read.',
    )
    .option('--json', 'Print JSON for machines instead of lines for people.')
    .addHelpText('after', teaching)
    .action(restore)
  return addConfigurationFlags(command, 'manage')
}

const teaching = `
Examples:
  latchkey restore backups/monday --data new-data --journal latchkey-data
  latchkey restore backups/monday --data new-data | tee usable.sh   which to end is yours to say

Afterwards:
  put the master key (master.key) into the data directory, or set LATCHKEY_MASTER_KEY
  latchkey storage verify --data new-data      is all of the content there?
  latchkey serve --data new-data

Nothing that was made or widened after the backup comes back.`

async function restore(given: string, { json, journal, ...flags }: Flags): Promise<void> {
  const folder = resolve(given)
  const manifest = readManifest(folder)
  const { values } = readConfiguration(flags, process.env)
  const { data, database } = storeSettings(values)
  const place = { data, file: resolve(sqliteFile(data, database)) }
  const old = typeof journal === 'string' ? openJournal(databaseIn(journal)) : undefined
  // Before anything is written: a backup of a newer version cannot be opened.
  openJournal(join(folder, names.database)).close()
  const restored = await into(place, () =>
    recordCommand(data, {
      verb: 'restore',
      target: () => ({ folder }),
      work: () => bringBack(folder, { manifest, place, old: old?.tables }),
    }),
  ).finally(() => old?.close())
  showRestored(restored, json === true)
}

function databaseIn(given: string): string {
  const isFolder = statSync(given, { throwIfNoEntry: false })?.isDirectory() === true
  const file = resolve(isFolder ? join(given, names.database) : given)
  if (existsSync(file)) return file
  throw unavailable(
    `--journal: there is no database ${quoteGiven(file)}; name the old data directory`,
  )
}

interface Given {
  readonly manifest: Manifest
  readonly place: Place
  readonly old: ReturnType<typeof openJournal>['tables'] | undefined
}

async function bringBack(folder: string, { manifest, place, old }: Given): Promise<Restored> {
  const { data } = place
  const line = progressLine()
  const content = { data, onProgress: line.show }
  const objects = await copyContent(folder, manifest, content).finally(line.end)
  const done = await withDatabase(folder, place, (store) => settle(store, manifest, old))
  return { data, manifest, objects, ...done }
}

/** Before the hub can be started, so that nothing is open for a moment. */
async function settle(store: Store, { journal: after }: Manifest, old: Given['old']) {
  const { directory } = store
  const origin: Origin = { verb: 'restore', user: machineUser() }
  const now = systemClock()
  const work = { after, origin, now, randomBytes: pooledRandom() }
  const repeated = old && (await repeatNarrowing(directory, { old, ...work }))
  if (isRefusal(repeated)) throw stopFor(repeated)
  const repositories = await raiseEpochs(directory, origin, 'all')
  const usable = old === undefined ? await findUsable(store, now) : undefined
  return { repeated, repositories, usable }
}

/** What a restore that fails has written is removed. */
async function into<Result>({ data, file }: Place, work: () => Promise<Result>): Promise<Result> {
  if (!isFree(data) || existsSync(file)) {
    throw refused(
      `${quoteGiven(isFree(data) ? file : data)} is there already, and nothing is overwritten: name a data directory with --data that is empty or not there. What a restore that was cut off has left can be removed.`,
    )
  }
  const isNew = !existsSync(data)
  try {
    prepareDataDirectory(data, { create: true })
    return await work()
  } catch (error) {
    if (existsSync(data)) empty(data)
    if (isNew) rmSync(data, { recursive: true, force: true })
    for (const ending of ['', '-wal', '-shm']) rmSync(`${file}.restoring${ending}`, { force: true })
    const isTold = error instanceof Stop || error instanceof CannotStart
    throw isTold ? error : cannotWrite(data, error)
  }
}
