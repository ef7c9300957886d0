/** `latchkey migrate`: a database of this program's version, or a directory in another database. */

import { existsSync } from 'node:fs'
import type { CopiedStore, DatabasePlace } from '@latchkey/hub/management'
import type { CopyVerb } from '@latchkey/service/copy/progress'
import type { MigrationResult } from '@latchkey/service/postgres'
import { Command } from 'commander'
import { type PartName, partCalled } from '../backup/parts.ts'
import { databaseFlag } from '../configuration/database-flag.ts'
import { addConfigurationFlags, addOptionFlags } from '../configuration/flags.ts'
import { storeSettings } from '../configuration/hub-settings.ts'
import {
  type Configuration,
  type Flags,
  readConfiguration,
} from '../configuration/read-configuration.ts'
import { print } from '../output/show-result.ts'
import { refused, wrongUsage } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import { barFor } from '../transfer/transfer-bar.ts'
import { counted } from './storage-words.ts'

export function migrateCommand(): Command {
  const command = new Command('migrate')
    .description(
      "Brings the tables of hub and storage to this program's version. With --from or --to it copies a whole directory from one database into another, empty one instead, and compares every row afterwards. A copy that is cut off is not used by any hub; the same command finishes it.",
    )
    .option('--dry-run', 'Print the SQL that would run, and change nothing.')
    .option('--only <hub|storage>', 'The directory of the hub, or the catalogue of the storage.')
    .option(
      '--from <URL>',
      'Copy the directory of this database. Without it, of the one that --database names.',
    )
    .option(
      '--to <URL>',
      'Copy it into this database, which must be empty. Without it, into the one that --database names.',
    )
    .addHelpText('after', teaching)
    .action(migrate)
  return addOptionFlags(addConfigurationFlags(command, 'manage'), 'catalogue')
}

const teaching = `
Examples:
  latchkey migrate --database postgres://owner@db.example/latchkey --dry-run
  latchkey migrate --only storage --storage-database postgres://owner@db.example/latchkey
  latchkey migrate --from sqlite:latchkey.db --to postgres://owner@db.example/latchkey
  latchkey migrate --from postgres://owner@db.example/latchkey --to sqlite:latchkey.db

The tables of PostgreSQL belong to a role that hubs and storages do not use: give its address here
(examples/many-hubs/roles.sql). Passwords come from PGPASSWORD or ~/.pgpass; an address with its
password can be given as LATCHKEY_DATABASE, with the other one as --from or --to.
A SQLite file is also brought to its version whenever it is opened.

Before a copy, stop the hubs: a SQLite file that is in use is refused; of a PostgreSQL that is in
use, the copy has what was there at its beginning. The signing keys stay encrypted with the same
master key, and the storage keeps its content. Never let hubs serve both databases afterwards.`

async function migrate({ dryRun, only, from, to, ...flags }: Flags): Promise<void> {
  const isCopy = from !== undefined || to !== undefined
  if (isCopy && dryRun === true) {
    throw wrongUsage('--dry-run shows the SQL for one database; leave out --from and --to')
  }
  const part = partCalled(only)
  const between = { from: databaseFlag('--from', from), to: databaseFlag('--to', to) }
  const configuration = readConfiguration(flags, process.env)
  if (!isCopy) return bringToVersion(configuration, { part, dryRun: dryRun === true })
  const { values, called } = configuration
  const { data, database } = storeSettings(values)
  if (from !== undefined && to !== undefined && called.get('database') === '--database') {
    throw wrongUsage('--database: --from and --to name both databases; leave it out')
  }
  await copy(data, { from: between.from ?? database, to: between.to ?? database })
}

interface InPlace {
  readonly part: PartName | undefined
  readonly dryRun: boolean
}

async function bringToVersion(configuration: Configuration, { part, dryRun }: InPlace) {
  const { partsToMigrate } = await import('../management/parts-to-migrate.ts')
  for (const { of, data, pending, migrate } of partsToMigrate(configuration, part)) {
    if (dryRun) showPending(of, await pending())
    else tellVersions(of, await recorded(data, {}, migrate))
  }
}

function showPending(of: string, sql: string): void {
  if (sql !== '') print(sql)
  else tell(`${of}: the tables are of this program's version, there is nothing to do`)
}

function tellVersions(of: string, { from, to }: MigrationResult): void {
  tell(
    from === to
      ? `${of}: the tables have version ${to}, which is this program's; there was nothing to do`
      : `${of}: the tables had version ${from} and have version ${to} now`,
  )
}

interface Between {
  readonly from: DatabasePlace
  readonly to: DatabasePlace
}

async function copy(data: string, between: Between): Promise<void> {
  const { copyStore } = await import('@latchkey/hub/management')
  const { CopyRefused } = await import('@latchkey/service/copy/copy-side')
  const bar = barFor('a file')
  const onProgress = (verb: CopyVerb, rows: number, total: number) => {
    const draw = verb === 'copied' ? bar?.watch.onRowsCopied : bar?.watch.onRowsCompared
    draw?.(rows, total)
  }
  const target = { from: wordsFor(between.from), to: wordsFor(between.to) }
  try {
    const work = () => copyStore({ data, ...between, onProgress })
    const copied = await recorded(data, target, work).finally(() => bar?.end())
    tellCopied(copied, between)
  } catch (error) {
    throw error instanceof CopyRefused ? refused(error.message) : error
  }
}

function tellCopied({ number, rows, isResumed, from, to }: CopiedStore, between: Between): void {
  const again = isResumed ? '; an earlier run had begun it' : ''
  tell(`copied and compared ${counted(rows, 'row')}, up to journal entry ${number}${again}`)
  tell(`from ${from}`)
  tell(`to ${to}`)
  if (typeof between.from !== 'string') {
    tell('what was changed after that entry is not in the copy')
  }
  tell(
    'start the hubs with the new database and the same master key; the old one stays as it is, and must not be served any more',
  )
}

/** Written down where there is a data directory; the owner of the tables may have none on this machine. */
async function recorded<Result>(
  data: string,
  target: Readonly<Record<string, string>>,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!existsSync(data)) return work()
  const { recordCommand } = await import('../management/command-log.ts')
  return recordCommand(data, { verb: 'migrate', target: () => target, work })
}

function wordsFor(database: DatabasePlace): string {
  if (typeof database === 'string') return database
  const { host, port, database: name } = database
  return `postgres://${host}:${port}/${name}`
}
