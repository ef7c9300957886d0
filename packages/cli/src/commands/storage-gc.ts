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
    .summary('delete unreferenced content')
    .description(
      'Finds unreferenced content: xorbs that no file uses, objects that no repository has, for example after a ref was deleted, and interrupted uploads. Lists it; deletes it with --delete. The storage may be running: content younger than the grace time stays.',
    )
    .option('--delete', 'Delete it.')
    .option(
      '--grace-hours <number>',
      `Keep content that is younger than this time, ${hours.allowed}; it must be longer than any upload takes. Default: ${defaultGraceSeconds / 3600}.`,
      numberFlag('--grace-hours', hours),
    )
    .option('--json', 'Print JSON for machines instead of a table for people.')
    .addHelpText('after', teaching)
    .action(gc)
  return addStorageFlags(command)
}

const teaching = `
Examples:
  latchkey storage gc                             list the content
  latchkey storage gc --delete                    for example once a day
  latchkey storage gc --delete --grace-hours 72

If xorbs were deleted, clients get a new storage URL, so that they do not rely on them. So --delete
needs the hub, or its database. The command first processes deletions at the hub.`

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
    { what: 'unused xorbs', ...xorbs },
    { what: 'unused objects', ...objects },
    { what: 'interrupted uploads', ...drafts },
  ]
  print(table(rows))
  if (young.count > 0) tell(whyTheyStay(young, graceSeconds / 3600))
  const freed = `${counted(freedBytes, 'byte')} on the disk`
  tell(isDryRun ? `Not deleted yet: --delete would free ${freed}.` : `Freed: ${freed}.`)
}

/** Explains why content stays, for an operator who has just deleted a ref. */
function whyTheyStay({ count, bytes }: Amount, graceHours: number): string {
  const these = `${counted(count, 'more unused object')} (${counted(bytes, 'byte')})`
  const stay = count === 1 ? 'stays: it is' : 'stay: they are'
  return `${these} ${stay} younger than the grace time of ${counted(graceHours, 'hour')}.`
}
