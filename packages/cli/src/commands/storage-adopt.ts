/** `latchkey storage adopt`: gives the object store to the catalogue, after one of them was restored. */

import type { Target } from '@latchkey/hub/management'
import { isRefusal } from '@latchkey/protocol'
import { type AdoptResult, adopt, type Maintenance } from '@latchkey/storage/maintenance'
import { Command } from 'commander'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { stopFor } from '../management/refusal-line.ts'
import { recordMaintenance, withMaintenance } from '../management/with-maintenance.ts'
import { jsonText, print } from '../output/show-result.ts'
import { record } from '../output/table.ts'
import { tell } from '../output/tell.ts'
import { addStorageFlags, counted } from './storage-repository.ts'

export function storageAdoptCommand(): Command {
  const command = new Command('adopt')
    .summary('give the object store to this catalogue, after a restore')
    .description(
      'Compares the catalogue with its object store: which catalogue used the store last, and whether the objects are there. With --yes, the store belongs to this catalogue from now on: its storage becomes ready, and a storage with another catalogue or an older copy stops serving within a minute and deletes nothing.',
    )
    .option('--yes', 'Give the store to this catalogue.')
    .option('--all-objects', 'Look for every object of the catalogue, not for 1000 of them.')
    .option('--even-missing', 'Adopt the store even if most of the objects are missing.')
    .option('--json', 'Print JSON for machines instead of lines for people.')
    .addHelpText('after', teaching)
    .action(adoptObjects)
  return addStorageFlags(command)
}

const teaching = `
Examples:
  latchkey storage adopt                          compare, and change nothing
  latchkey storage adopt --yes                    after a restore
  latchkey storage verify                         lists the files whose objects are missing

Stop a storage that runs with the other catalogue first: after this command it serves nothing.
Do not let two catalogues adopt one store in turn: each may delete content of the other one.
"latchkey restore" adopts the objects that it restores.`

async function adoptObjects({
  yes,
  allObjects,
  evenMissing,
  json,
  ...flags
}: Flags): Promise<void> {
  const configuration = readConfiguration(flags, process.env)
  const isDryRun = yes !== true
  const options = { isDryRun, withAll: allObjects === true, evenMissing: evenMissing === true }
  const work = (maintenance: Maintenance) => adopt(maintenance, options)
  const target = (): Target => ({})
  const found = isDryRun
    ? await withMaintenance(configuration, work)
    : await recordMaintenance(configuration, { verb: 'storage adopt', target, work })
  if (isRefusal(found)) throw stopFor(found)
  if (json === true) print(jsonText({ adopted: !isDryRun, ...found }))
  else showToPeople(found, isDryRun)
}

function showToPeople(found: AdoptResult, isDryRun: boolean): void {
  const { mismatch, owner, adoptedAt, usedAt, objects } = found
  const { named, checked, missing } = objects
  print(record({ usedBy: owner, usedAt, adoptedAt, objects: named, checked, missing }))
  if (mismatch !== undefined) tell(mismatch)
  if (missing > 0) tell(whatIsMissing(missing))
  if (!isDryRun) {
    tell('The object store belongs to this catalogue. A storage that runs with it is ready soon.')
    return
  }
  if (mismatch === undefined)
    tell('Catalogue and object store belong together: there is nothing to do.')
  else tell('Not changed yet: pass --yes to give the object store to this catalogue.')
}

function whatIsMissing(missing: number): string {
  return `Missing in the object store: ${counted(missing, 'object')}. "latchkey storage verify" lists the files; after "latchkey storage reset-urls", clients upload them again.`
}
