/** `latchkey migrate`: databases of this program's version, or a directory or catalogue in another database. */

import type { HubSettings } from '@latchkey/hub'
import type { MigrationResult } from '@latchkey/service/postgres'
import { Command } from 'commander'
import { type PartName, partCalled } from '../backup/parts.ts'
import { database } from '../configuration/database-kind.ts'
import { databasePlace } from '../configuration/database-place.ts'
import { addConfigurationFlags, addOptionFlags } from '../configuration/flags.ts'
import { notAllowed, refusedAsFlag } from '../configuration/given.ts'
import { flagOf } from '../configuration/option.ts'
import {
  type Configuration,
  type Flags,
  readConfiguration,
} from '../configuration/read-configuration.ts'
import { print } from '../output/show-result.ts'
import { wrongUsage } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import { recordMigration } from './migrate-copy.ts'

export function migrateCommand(): Command {
  const command = new Command('migrate')
    .description(
      "Upgrades the tables of hub and storage to this program's version. With --from or --to, it copies the database of a hub, or with --only storage the catalogue of a storage, into another, empty database and compares every row. If a copy is interrupted, the target stays empty; run the same command again.",
    )
    .option('--dry-run', 'Print the SQL that would run, and change nothing.')
    .option(
      '--only <hub|storage>',
      'Only the database of the hub, or only the catalogue of the storage. Without it, the command upgrades both, or copies the database of the hub.',
    )
    .option(
      '--from <URL>',
      'The source of the copy. Default: the database that --database or --storage-database names.',
    )
    .option(
      '--to <URL>',
      'The target of the copy, which must be empty. Default: the database that --database or --storage-database names.',
    )
    .addHelpText('after', teaching)
    .action(migrate)
  return addOptionFlags(addConfigurationFlags(command, 'manage'), 'catalogue')
}

const teaching = `
Examples:
  latchkey migrate --database postgres://owner@db.example/lk --dry-run
  latchkey migrate --only storage --storage-database postgres://owner@db.example/lk
  latchkey migrate --from sqlite:latchkey.db --to postgres://owner@db.example/lk
  latchkey migrate --from postgres://owner@db.example/lk --to sqlite:latchkey.db
  latchkey migrate --only storage --from sqlite:storage.db --to postgres://owner@db.example/lk

The tables of PostgreSQL belong to a role that hubs and storages do not use: give its address here
(examples/many-hubs/roles.sql). Passwords come from PGPASSWORD or ~/.pgpass; an address with its
password can be given as LATCHKEY_DATABASE, or LATCHKEY_STORAGE_DATABASE, with the other one as
--from or --to. A SQLite file is also upgraded whenever it is opened.

Stop the hubs or the storage before a copy: the command rejects a SQLite file that is in use, and
copies a PostgreSQL that is in use as it was at the beginning. The signing keys stay encrypted with
the same master key, and the storage keeps its content. Never serve both databases afterwards.`

async function migrate({ dryRun, only, from, to, ...flags }: Flags): Promise<void> {
  const isCopy = from !== undefined || to !== undefined
  if (isCopy && dryRun === true) {
    throw wrongUsage('--dry-run shows the SQL for one database; leave out --from and --to')
  }
  const part = partCalled(only)
  const between = { from: databaseFlag('--from', from), to: databaseFlag('--to', to) }
  const configuration = readConfiguration(flags, process.env)
  if (!isCopy) return bringToVersion(configuration, { part, dryRun: dryRun === true })
  const key = part === 'storage' ? 'storageDatabase' : 'database'
  const isNamed = configuration.called.get(key) === flagOf(key)
  if (from !== undefined && to !== undefined && isNamed) {
    throw wrongUsage(`${flagOf(key)}: --from and --to name both databases; leave it out`)
  }
  const { copyPart } = await import('./migrate-copy.ts')
  await copyPart(part ?? 'hub', configuration, between)
}

interface InPlace {
  readonly part: PartName | undefined
  readonly dryRun: boolean
}

async function bringToVersion(
  configuration: Configuration,
  { part, dryRun }: InPlace,
): Promise<void> {
  const { partsToMigrate } = await import('../management/parts-to-migrate.ts')
  for (const { of, data, pending, migrate } of partsToMigrate(configuration, part)) {
    if (dryRun) showPending(of, await pending())
    else tellVersions(of, await recordMigration(data, {}, migrate))
  }
}

function showPending(of: string, sql: string): void {
  if (sql !== '') print(sql)
  else tell(`${of}: the tables have this program's version; no change is needed`)
}

function tellVersions(of: string, { from, to }: MigrationResult): void {
  tell(
    from === to
      ? `${of}: the tables have version ${to}, which is this program's; no change was needed`
      : `${of}: the tables had version ${from} and have version ${to} now`,
  )
}

/** Undefined where the flag is not given. */
function databaseFlag(called: string, value: unknown): HubSettings['database'] | undefined {
  if (value === undefined) return undefined
  if (database.holdsSecret?.(value)) throw refusedAsFlag(called, database.secretWays ?? '')
  const address = database.read(value)
  if (address !== undefined) return databasePlace(address)
  throw notAllowed({ called, value, written: value, allowed: database.allowed })
}
