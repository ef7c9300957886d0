/** `latchkey storage gc`: frees what no file is made of, while the storage runs. */

import type { Target } from '@latchkey/hub/management'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import {
  type Amount,
  type CollectionResult,
  collect,
  defaultGraceSeconds,
  type Maintenance,
  missedRemovals,
  tryToCatchUp,
} from '@latchkey/storage/maintenance'
import { Command } from 'commander'
import { numberFlag } from '../configuration/flags.ts'
import { wholeNumber } from '../configuration/kind.ts'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { stopFor } from '../management/refusal-line.ts'
import { recordMaintenance, withMaintenance } from '../management/with-maintenance.ts'
import { jsonText, print } from '../output/show-result.ts'
import { table } from '../output/table.ts'
import { tell } from '../output/tell.ts'
import { addStorageFlags, counted, tellCaution } from './storage-repository.ts'

const hours = wholeNumber(1, 24 * 365)

export function storageGcCommand(): Command {
  const command = new Command('gc')
    .summary('free what nothing leads to any more')
    .description(
      'Finds what nothing leads to any more: xorbs that became part of no file, objects that no repository has, as after a ref was deleted, and uploads that were broken off. Shows it; deletes it with --delete. The storage may be running: what came within the grace time stays.',
    )
    .option('--delete', 'Delete it.')
    .option(
      '--grace-hours <number>',
      `Leave alone what came within this time, ${hours.allowed}; it must be longer than any upload takes. Default: ${defaultGraceSeconds / 3600}.`,
      numberFlag('--grace-hours', hours),
    )
    .option('--json', 'Print JSON for machines instead of a table for people.')
    .addHelpText('after', teaching)
    .action(gc)
  return addStorageFlags(command)
}

const teaching = `
Examples:
  latchkey storage gc                             what would go
  latchkey storage gc --delete                    once a day, say
  latchkey storage gc --delete --grace-hours 72

Where xorbs went, clients are given another address of the storage: they rely on none of them. So
--delete needs the hub, or its database. What was deleted at the hub is taken into account first.`

async function gc({ delete: isReal, graceHours, json, ...flags }: Flags): Promise<void> {
  const configuration = readConfiguration(flags, process.env)
  const isDryRun = isReal !== true
  const graceSeconds = typeof graceHours === 'number' ? graceHours * 3600 : defaultGraceSeconds
  const work = async (maintenance: Maintenance) => {
    tellCaution(await (isDryRun ? tryToCatchUp : missedRemovals)(maintenance))
    return collect(maintenance, { now: systemClock(), graceSeconds, isDryRun })
  }
  const collected = isDryRun
    ? await withMaintenance(configuration, work)
    : await recordMaintenance(configuration, { verb: 'storage gc', target: freedBy, work })
  if (isRefusal(collected)) throw stopFor(collected)
  if (json === true) print(jsonText({ deleted: !isDryRun, ...collected }))
  else showToPeople(collected, { isDryRun, graceSeconds })
}

function freedBy(collected?: CollectionResult | Refusal): Target {
  return collected === undefined || isRefusal(collected)
    ? {}
    : { freedBytes: String(collected.freedBytes) }
}

function showToPeople(
  { xorbs, objects, drafts, freedBytes, young }: CollectionResult,
  { isDryRun, graceSeconds }: { readonly isDryRun: boolean; readonly graceSeconds: number },
): void {
  const rows = [
    { what: 'xorbs of no file', ...xorbs },
    { what: 'objects of no repository', ...objects },
    { what: 'uploads broken off', ...drafts },
  ]
  print(table(rows))
  if (young.count > 0) tell(whyTheyStay(young, graceSeconds / 3600))
  const freed = `${counted(freedBytes, 'byte')} on the disk`
  tell(
    isDryRun
      ? `Nothing is deleted yet. With --delete, ${freed} would be freed.`
      : `Freed: ${freed}.`,
  )
}

/** Explains why content stays, for an operator who has just deleted a ref. */
function whyTheyStay({ count, bytes }: Amount, graceHours: number): string {
  const these = `${counted(count, 'more object')} of no repository (${counted(bytes, 'byte')})`
  const stay = count === 1 ? 'stays: it is' : 'stay: they are'
  return `${these} ${stay} younger than the grace time of ${counted(graceHours, 'hour')}.`
}
