/** `latchkey storage reconcile`: compares the content with the hub's directory, after the hub was restored alone. */

import type { Target } from '@latchkey/hub/management'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import { type Maintenance, type ReconcileResult, reconcile } from '@latchkey/storage/maintenance'
import { Command } from 'commander'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { stopFor } from '../management/refusal-line.ts'
import { recordMaintenance, withMaintenance } from '../management/with-maintenance.ts'
import { jsonText, print } from '../output/show-result.ts'
import { table } from '../output/table.ts'
import { tell } from '../output/tell.ts'
import { addStorageFlags, counted } from './storage-repository.ts'

export function storageReconcileCommand(): Command {
  const command = new Command('reconcile')
    .summary('delete content that the hub does not know, after a restore')
    .description(
      'Finds repositories, refs and commits that have content here and do not exist at the hub, for example after only the hub was restored from a backup. Lists them; with --yes, it deletes their content, and accepts uploads again to repositories and refs that were deleted after the backup. Both may be running.',
    )
    .option('--yes', 'Delete their content for good.')
    .option('--all', 'Delete it even if the hub does not know most of the content here.')
    .option('--json', 'Print JSON for machines instead of a table for people.')
    .addHelpText('after', teaching)
    .action(reconcileWithHub)
  return addStorageFlags(command)
}

const teaching = `
Examples:
  latchkey storage reconcile                      list content that the hub does not know
  latchkey storage reconcile --yes

Another hub, or an empty database, would know none of this content. So the command deletes nothing
if the hub does not know most of it, unless you pass --all.`

async function reconcileWithHub({ yes, all, json, ...flags }: Flags): Promise<void> {
  const configuration = readConfiguration(flags, process.env)
  const isDryRun = yes !== true
  const work = (maintenance: Maintenance) =>
    reconcile(maintenance, { isDryRun, evenMost: all === true })
  const reconciled = isDryRun
    ? await withMaintenance(configuration, work)
    : await recordMaintenance(configuration, { verb: 'storage reconcile', target: removedBy, work })
  if (isRefusal(reconciled)) throw stopFor(reconciled)
  if (json === true) print(jsonText({ removed: !isDryRun, ...reconciled }))
  else showToPeople(reconciled, isDryRun)
}

function removedBy(reconciled?: ReconcileResult | Refusal): Target {
  if (reconciled === undefined || isRefusal(reconciled)) return {}
  return { removedPlaces: String(reconciled.orphans.length) }
}

function showToPeople(reconciled: ReconcileResult, isDryRun: boolean): void {
  const { places, orphans, returned, isDoubtful, isLinkLost } = reconciled
  if (returned > 0) tell(returnedText(returned, isDryRun))
  if (orphans.length === 0) {
    tell(
      `The hub knows all content here: ${counted(places, 'repository, ref or commit', several)}.`,
    )
    if (isLinkLost) tell(isDryRun ? sayYes : followsAgain)
    return
  }
  print(table(orphans.map((orphan) => ({ ...orphan }))))
  const bytes = orphans.reduce((sum, orphan) => sum + orphan.bytes, 0)
  const these = `${counted(orphans.length, 'place')} with ${counted(bytes, 'byte')}`
  if (!isDryRun) {
    tell(`Deleted: ${these}. "latchkey storage gc --delete" frees the disk.`)
    return
  }
  tell(`Not deleted yet: pass --yes to delete the content of ${these} for good.`)
  if (isDoubtful) {
    tell(
      `The hub does not know most of the content here, so it may be another hub: check --data and --hub. If it is the right one, pass --all too.`,
    )
  }
}

function returnedText(returned: number, isDryRun: boolean): string {
  const these = counted(returned, 'place')
  return isDryRun
    ? `The hub has ${these} again that it had deleted. The storage rejects uploads to them until you pass --yes.`
    : `The hub has ${these} again that it had deleted. The storage accepts uploads to them again.`
}

const sayYes =
  'The storage has lost its position in the journal of the hub. Pass --yes to let it follow the hub again; no content is deleted.'
const followsAgain = 'The storage follows the hub again.'
const several = 'repositories, refs and commits'
