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
import { deletedKeepDays } from '../configuration/storage-settings.ts'
import { stopFor } from '../management/refusal-line.ts'
import { recordMaintenance, withMaintenance } from '../management/with-maintenance.ts'
import { progress, secondsBetweenLines } from '../output/progress.ts'
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
    .option(
      '--unknown',
      'List the whole store too, and delete objects that the catalogue does not know, for example after a restore of the catalogue.',
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
  latchkey storage gc --delete --unknown          after a restore of the catalogue

If xorbs were deleted, clients get a new storage URL, so that they do not rely on them. So --delete
needs the hub, or its database. The command first processes deletions at the hub.`

async function gc({ delete: isReal, graceHours, unknown, json, ...flags }: Flags): Promise<void> {
  const configuration = readConfiguration(flags, process.env)
  const isDryRun = isReal !== true
  const keepDays = deletedKeepDays(configuration.values)
  const graceSeconds = typeof graceHours === 'number' ? graceHours * 3600 : defaultGraceSeconds
  const work = async (maintenance: Maintenance) => {
    tellCaution(await (isDryRun ? tryToCatchUp : missedRemovals)(maintenance))
    const { show, end } = progress(secondsBetweenLines)
    return collect(maintenance, {
      ...{ now: systemClock(), graceSeconds, keepDays, isDryRun },
      withUnknown: unknown === true,
      onProgress: (what, count) => show(`${count} ${what}`),
    }).finally(end)
  }
  const collected = isDryRun
    ? await withMaintenance(configuration, work)
    : await recordMaintenance(configuration, { verb: 'storage gc', target: freedBy, work })
  if (isRefusal(collected)) throw stopFor(collected)
  if (json === true) print(jsonText({ deleted: !isDryRun, ...collected }))
  else showToPeople(collected, { isDryRun, graceSeconds, keepDays })
}

function freedBy(collected?: CollectionResult | Refusal): Target {
  return collected === undefined || isRefusal(collected)
    ? {}
    : { freedBytes: String(collected.freedBytes) }
}

interface Shown {
  readonly isDryRun: boolean
  readonly graceSeconds: number
  readonly keepDays: number
}

function showToPeople(
  { xorbs, objects, drafts, freedBytes, unmapped, young, unknown }: CollectionResult,
  { isDryRun, graceSeconds, keepDays }: Shown,
): void {
  const rows = [
    { what: 'unused xorbs', ...xorbs },
    { what: 'unused objects', ...objects },
    { what: 'interrupted uploads', ...drafts },
    ...(unknown ? [{ what: 'unknown objects', ...unknown }] : []),
  ]
  print(table(rows))
  if (unmapped.count > 0) tell(whenTheyGo(unmapped, keepDays))
  if (young.count > 0) tell(whyTheyStay(young, graceSeconds / 3600))
  const freed = counted(freedBytes, 'byte')
  tell(isDryRun ? `Not deleted yet: --delete would free ${freed}.` : `Freed: ${freed}.`)
}

function whenTheyGo({ count, bytes }: Amount, keepDays: number): string {
  const these = `${counted(count, 'unused object')} (${counted(bytes, 'byte')})`
  return `The bytes of ${these} are deleted ${counted(keepDays, 'day')} after they became unused (storage.deletedKeepDays).`
}

/** Explains why content stays, for an operator who has just deleted a ref. */
function whyTheyStay({ count, bytes }: Amount, graceHours: number): string {
  const these = `${counted(count, 'more unused object')} (${counted(bytes, 'byte')})`
  const stay = count === 1 ? 'stays: it is' : 'stay: they are'
  return `${these} ${stay} younger than the grace time of ${counted(graceHours, 'hour')}.`
}
