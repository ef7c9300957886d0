/** `latchkey forge backup DIR`: the git repositories of a forge that runs alone. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { backUpRepositories, hasRepositories } from '@latchkey/forge/backup'
import { syncPath } from '@latchkey/service/machine/files'
import { quoteGiven } from '@latchkey/service/text'
import { Command } from 'commander'
import program from '../../package.json' with { type: 'json' }
import { intoNewFolder } from '../backup/into-new-folder.ts'
import { type Manifest, writeManifest } from '../backup/manifest.ts'
import { addConfigurationFlags } from '../configuration/flags.ts'
import { forgeDataDirectory } from '../configuration/forge-settings.ts'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { recordCommand } from '../management/command-log.ts'
import { jsonText, print } from '../output/show-result.ts'
import { unavailable } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import { counted } from './storage-repository.ts'

export function forgeBackupCommand(): Command {
  const command = new Command('backup')
    .summary('back up the repositories of a separate forge')
    .description(
      'Writes the git repositories of a separate forge to the folder DIR, readable by its owner only. The forge may be running. DIR must be empty or not exist. A backup that fails deletes its files; an interrupted backup has no backup.json.',
    )
    .argument('<dir>', 'where the backup goes')
    .option('--json', 'Print JSON for machines instead of lines for people.')
    .addHelpText('after', teaching)
    .action(backUp)
  return addConfigurationFlags(command, 'forge-data')
}

const teaching = `
Example:
  latchkey forge backup backups/monday

Back up the hub first, on its own machine: the repositories then have every commit that its backup
names. With "latchkey serve --forge", "latchkey backup" has the repositories too.
Objects are hard links if the file system supports them. Copy the folder to another disk afterwards.

To restore: latchkey forge restore --help`

async function backUp(folderName: string, { json, ...flags }: Flags): Promise<void> {
  const folder = resolve(folderName)
  const { data = forgeDataDirectory } = readConfiguration(flags, process.env).values
  if (!hasRepositories(data)) throw noForge(data)
  const target = () => ({ folder })
  const work = () => intoNewFolder(folder, () => write(data, folder))
  const made = await recordCommand(data, { verb: 'forge backup', target, work })
  if (json === true) print(jsonText(made))
  else {
    const { count } = made.repositories
    tell(`the backup is in ${folderName}: ${counted(count, 'repository', 'repositories')}`)
    tell('Copy the backup to another disk. The hub and the storage are not in it.')
  }
}

async function write(data: string, folder: string): Promise<Manifest> {
  const { count, bytes } = await backUpRepositories(data, folder, undefined)
  const nothing = { database: null, journal: null, catalogue: null, bucket: null }
  const made = writeManifest(folder, {
    ...{ ...nothing, objects: { count: 0, bytes: 0 }, missing: 0 },
    ...{ takenAt: new Date().toISOString(), latchkey: program.version },
    repositories: { count, bytes },
  })
  syncPath(folder)
  return made
}

function noForge(data: string) {
  const why = existsSync(data) ? 'has no git repositories' : 'does not exist'
  return unavailable(
    `the data directory ${quoteGiven(data)} ${why}. Name that of the forge with --data.`,
  )
}
