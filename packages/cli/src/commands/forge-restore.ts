/** `latchkey forge restore DIR`: an empty data directory gets the git repositories of a backup. */

import { existsSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { restoreRepositories } from '@latchkey/forge/backup'
import { empty, isFree } from '@latchkey/service/backup'
import { CannotStart } from '@latchkey/service/machine/errors'
import { quoteGiven } from '@latchkey/service/text'
import { Command } from 'commander'
import { readManifest } from '../backup/manifest.ts'
import { addConfigurationFlags } from '../configuration/flags.ts'
import { forgeDataDirectory } from '../configuration/forge-settings.ts'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { recordCommand } from '../management/command-log.ts'
import { cannotWrite } from '../output/new-file.ts'
import { jsonText, print } from '../output/show-result.ts'
import { refused, Stop } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import { prepareForgeData } from '../serve/own-data.ts'
import { counted } from './storage-repository.ts'

export function forgeRestoreCommand(): Command {
  const command = new Command('restore')
    .summary('restore the repositories of a separate forge')
    .description(
      'Creates the data directory of a separate forge from a backup: one of "latchkey forge backup", or one of "latchkey backup" for a forge that ran with its hub. The data directory must be empty or not exist. The command writes a new git configuration for each repository.',
    )
    .argument('<dir>', 'the folder of the backup')
    .option('--json', 'Print JSON for machines instead of lines for people.')
    .addHelpText('after', teaching)
    .action(restore)
  return addConfigurationFlags(command, 'forge-data')
}

const teaching = `
Example:
  latchkey forge restore backups/monday --data new-forge-data

Afterwards:
  latchkey forge serve --hub https://hub.example --data new-forge-data
It ends with a line that says which "latchkey forge adopt" to run at the hub: the restored
repositories are a new forge. The forge then sets all refs to what the hub has. Commits that were
made after the backup are missing.`

async function restore(folderName: string, { json, ...flags }: Flags): Promise<void> {
  const folder = resolve(folderName)
  if (readManifest(folder).repositories.count === 0) throw withoutRepositories(folder)
  const { data = forgeDataDirectory } = readConfiguration(flags, process.env).values
  if (!isFree(data)) throw occupied(data)
  const isNew = !existsSync(data)
  prepareForgeData(data)
  const target = () => ({ folder })
  const work = () => restoreRepositories(folder, data)
  const { count, bytes } = await recordCommand(data, {
    ...{ verb: 'forge restore', target, work },
  }).catch((error) => {
    empty(data)
    if (isNew) rmSync(data, { recursive: true, force: true })
    throw error instanceof Stop || error instanceof CannotStart ? error : cannotWrite(data, error)
  })
  if (json === true) print(jsonText({ data, repositories: { count, bytes } }))
  else tell(`${data} has ${counted(count, 'repository', 'repositories')}. Start the forge with it.`)
}

function withoutRepositories(folder: string): Stop {
  return refused(`the backup ${quoteGiven(folder)} has no git repositories; name another`)
}

function occupied(data: string): Stop {
  return refused(
    `${quoteGiven(data)} exists already, and a restore overwrites no files: name a data directory with --data that is empty or does not exist`,
  )
}
