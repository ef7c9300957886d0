/** `latchkey storage verify`: is everything there that the repositories have, and is it whole? */

import { isRefusal } from '@latchkey/protocol'
import { type VerifyResult, verify } from '@latchkey/storage/maintenance'
import { Command } from 'commander'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { stopFor } from '../management/refusal-line.ts'
import { withMaintenance } from '../management/with-maintenance.ts'
import { jsonText, print } from '../output/show-result.ts'
import { refused, type Stop } from '../output/stop.ts'
import { record } from '../output/table.ts'
import { tell } from '../output/tell.ts'
import {
  addStorageFlags,
  counted,
  readWantedRepository,
  shownRepository,
} from './storage-repository.ts'

export function storageVerifyCommand(): Command {
  const command = new Command('verify')
    .summary('is everything there, and whole')
    .description(
      'Looks whether every object that a repository has is there, is as long as it must be and has a table of its chunks; with --content, whether its bytes and each chunk have their hashes. Tells what is missing or damaged, with the files that are made of it, and then ends with 1. Changes nothing; the storage may be running.',
    )
    .argument('[repository]', 'only what this one has, such as models/acme/bert, or its uid')
    .option('--content', 'Read every byte, which takes as long as the disk needs for it.')
    .option('--json', 'Print JSON for machines instead of lines for people.')
    .addHelpText('after', teaching)
    .action(verifyStored)
  return addStorageFlags(command)
}

const teaching = `
Examples:
  latchkey storage verify
  latchkey storage verify models/acme/bert --content

What is missing or damaged comes back in one of two ways: stop the hub and copy the objects that are
named from the backup; or delete the xorb in every repository named, and upload the files again:
  latchkey storage delete models/acme/bert <xorb> --yes
  latchkey upload models/acme/bert@main weights.bin`

async function verifyStored(
  named: string | undefined,
  { content, json, ...flags }: Flags,
): Promise<void> {
  const repository = named === undefined ? undefined : readWantedRepository(named)
  const configuration = readConfiguration(flags, process.env)
  const verified = await withMaintenance(configuration, (maintenance) =>
    verify(maintenance, { repository, withContent: content === true }),
  )
  if (isRefusal(verified)) throw stopFor(verified)
  if (json === true) print(jsonText(verified))
  else print(verified.badXorbs.map((bad) => record(shownRepository(bad))).join('\n'))
  if (verified.badObjects > 0) throw whatToDo(verified)
  if (json !== true) tell(allWell(verified))
}

function allWell({ objects }: Pick<VerifyResult, 'objects'>): string {
  if (objects === 0) return 'There are no objects.'
  return objects === 1 ? '1 object: it is whole.' : `${objects} objects: all of them are whole.`
}

type Counts = Pick<VerifyResult, 'objects' | 'badObjects' | 'isCut'> & {
  badXorbs: readonly unknown[]
}

function whatToDo({ objects, badObjects, badXorbs, isCut }: Counts): Stop {
  const bad = `missing or damaged: ${badObjects} of ${counted(objects, 'object')}`
  const rest = isCut ? `, of which the first ${counted(badXorbs.length, 'xorb')} are shown` : ''
  return refused(
    `${bad}${rest}. Copy them from a backup of objects/, or delete each xorb in every repository named and upload the files again: latchkey storage delete <repository> <xorb> --yes`,
  )
}
