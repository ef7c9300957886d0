/** `latchkey storage usage`: how much the repositories hold, and what that takes in the store. */

import { isRefusal } from '@latchkey/protocol'
import {
  type RepositoryUsage,
  usage,
  usageOf,
  type WantedRepository,
} from '@latchkey/storage/maintenance'
import { Command } from 'commander'
import { addOptionFlags } from '../configuration/flags.ts'
import type { Values } from '../configuration/options.ts'
import {
  type Configuration,
  type Flags,
  readConfiguration,
} from '../configuration/read-configuration.ts'
import { stopFor } from '../management/refusal-line.ts'
import { withMaintenance } from '../management/with-maintenance.ts'
import { jsonText, print } from '../output/show-result.ts'
import { record, table } from '../output/table.ts'
import { tell } from '../output/tell.ts'
import {
  addStorageFlags,
  counted,
  readWantedRepository,
  shownRepository,
} from './storage-repository.ts'

export function storageUsageCommand(): Command {
  const command = new Command('usage')
    .summary('show the size of repositories')
    .description(
      'Shows the size of each repository, with the xorbs and files of every ref counted as for its quota; and the size of all objects, where identical content is stored once.',
    )
    .argument('[repository]', 'only this one, such as models/acme/bert, or its uid')
    .option('--json', 'Print JSON for machines instead of a table for people.')
    .addHelpText('after', teaching)
    .action(showUsage)
  return addOptionFlags(addStorageFlags(command), 'measure')
}

const teaching = `
Examples:
  latchkey storage usage
  latchkey storage usage models/acme/bert --json`

async function showUsage(named: string | undefined, { json, ...flags }: Flags): Promise<void> {
  const repository = named === undefined ? undefined : readWantedRepository(named)
  const configuration = readConfiguration(flags, process.env)
  if (repository === undefined) await showAll(configuration, json === true)
  else await showOne(repository, configuration, json === true)
}

async function showAll(configuration: Configuration, json: boolean): Promise<void> {
  const { repositories, disk } = await withMaintenance(configuration, usage)
  const rows = repositories.map((held) => withQuota(held, configuration.values))
  const onDisk = { objects: disk.count, bytes: disk.bytes }
  if (json) print(jsonText({ repositories: rows, disk: onDisk }))
  else if (rows.length > 0) print(table(rows.map(shownRepository)))
  if (!json) tell(`In the store: ${counted(disk.count, 'object')}, ${counted(disk.bytes, 'byte')}.`)
}

async function showOne(
  repository: WantedRepository,
  configuration: Configuration,
  json: boolean,
): Promise<void> {
  const held = await withMaintenance(configuration, (maintenance) =>
    usageOf(maintenance, repository),
  )
  if (isRefusal(held)) throw stopFor(held)
  const row = withQuota(held, configuration.values)
  print(json ? jsonText(row) : record(shownRepository(row)))
}

/** Limits that are not set are left out. */
function withQuota(held: RepositoryUsage, values: Values) {
  const { 'storage.quotaBytes': quotaBytes, 'storage.quotaObjects': quotaObjects } = values
  return { ...held, quotaBytes, quotaObjects }
}
