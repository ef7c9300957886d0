/** `latchkey storage verify`: is everything there that the repositories have, and is it whole? */

import { isRefusal } from '@latchkey/protocol'
import { type VerifyResult, verify } from '@latchkey/storage/maintenance'
import { Command } from 'commander'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { stopFor } from '../management/refusal-line.ts'
import { withMaintenance } from '../management/with-maintenance.ts'
import { progress, secondsBetweenLines } from '../output/progress.ts'
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
    .summary('check that all content exists and is undamaged')
    .description(
      'Checks that every object of a repository exists, has its length and has a chunk table; with --content, also the hashes of its bytes and chunks. Lists missing and damaged objects with the files that use them, and then exits with 1. Changes nothing; the storage may be running.',
    )
    .argument('[repository]', 'only this repository, such as models/acme/bert, or its uid')
    .option('--content', 'Read every byte; this can take long.')
    .option('--json', 'Print JSON for machines instead of lines for people.')
    .addHelpText('after', teaching)
    .action(verifyStored)
  return addStorageFlags(command)
}

const teaching = `
Examples:
  latchkey storage verify
  latchkey storage verify models/acme/bert --content

You can repair missing or damaged content in two ways: stop the hub and copy the listed objects
from a backup; or delete the xorb in every listed repository, and upload the files again:
  latchkey storage delete models/acme/bert <xorb> --yes
  latchkey upload models/acme/bert@main weights.bin`

async function verifyStored(
  named: string | undefined,
  { content, json, ...flags }: Flags,
): Promise<void> {
  const repository = named === undefined ? undefined : readWantedRepository(named)
  const configuration = readConfiguration(flags, process.env)
  const { show, end } = progress(secondsBetweenLines)
  const onProgress = (what: string, count: number) => show(`${count} ${what}`)
  const verified = await withMaintenance(configuration, (maintenance) =>
    verify(maintenance, { repository, withContent: content === true, onProgress }),
  ).finally(end)
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
    `${bad}${rest}. Copy them from a backup of objects/, or delete each xorb in every listed repository and upload the files again: latchkey storage delete <repository> <xorb> --yes`,
  )
}
