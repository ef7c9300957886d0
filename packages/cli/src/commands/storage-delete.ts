/** `latchkey storage delete models/acme/bert HASH`: removes one file or xorb from a repository for good. */

import { isRefusal } from '@latchkey/protocol'
import { quoteGiven } from '@latchkey/service/text'
import {
  type DeletedContent,
  deleteContent,
  type Maintenance,
  parseHash,
  tryToCatchUp,
} from '@latchkey/storage/maintenance'
import { Command } from 'commander'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { deletedKeepDays } from '../configuration/storage-settings.ts'
import { stopFor } from '../management/refusal-line.ts'
import { recordMaintenance, withMaintenance } from '../management/with-maintenance.ts'
import { jsonText, print } from '../output/show-result.ts'
import { wrongUsage } from '../output/stop.ts'
import { record } from '../output/table.ts'
import { tell } from '../output/tell.ts'
import {
  addStorageFlags,
  amountText,
  counted,
  readWantedRepository,
  tellCaution,
  wantedText,
} from './storage-repository.ts'

export function storageDeleteCommand(): Command {
  const command = new Command('delete')
    .summary('delete one file or xorb for good')
    .description(
      'Deletes a file or a xorb from all refs of a repository: a file with the xorbs that no other file uses, or a xorb with every file that uses it. Without --yes, it only lists them. Other repositories keep their content.',
    )
    .argument('<repository>', 'such as models/acme/bert, or its uid')
    .argument('<hash>', 'of the file or the xorb: 64 hexadecimal digits')
    .option('--yes', 'Delete it for good.')
    .option(
      '--now',
      'Delete the bytes at once, also where they are kept for some days (storage.deletedKeepDays).',
    )
    .option('--json', 'Print JSON for machines instead of lines for people.')
    .addHelpText('after', teaching)
    .action(forgetOne)
  return addStorageFlags(command)
}

const teaching = `
Examples:
  latchkey storage delete models/acme/bert <hash>
  latchkey storage delete models/acme/bert <hash> --yes

It needs the hub, or its database: clients get a new storage URL, so that none relies on deleted
content. Earlier download URLs stay valid for a few minutes. Anyone who has the content can upload
it again.`

async function forgetOne(
  named: string,
  text: string,
  { yes, now, json, ...flags }: Flags,
): Promise<void> {
  const repository = readWantedRepository(named)
  const hash = parseHash(text)
  if (hash === undefined) {
    throw wrongUsage(
      `<hash>: ${quoteGiven(text)} is not allowed; give 64 hexadecimal digits, in lower case`,
    )
  }
  const configuration = readConfiguration(flags, process.env)
  const isDryRun = yes !== true
  const keepDays = now === true ? 0 : deletedKeepDays(configuration.values)
  const keepsBytes = keepDays > 0
  const work = async (maintenance: Maintenance) => {
    if (isDryRun) tellCaution(await tryToCatchUp(maintenance))
    return deleteContent(maintenance, { repository, hash }, { isDryRun, keepsBytes })
  }
  const target = () => ({ repository: wantedText(repository), hash })
  const result = isDryRun
    ? await withMaintenance(configuration, work)
    : await recordMaintenance(configuration, { verb: 'storage delete', target, work })
  if (isRefusal(result)) throw stopFor(result)
  if (json === true) print(jsonText({ removed: !isDryRun, ...result }))
  else showToPeople(result, { isDryRun, keepDays })
}

function showToPeople(
  forgotten: DeletedContent,
  { isDryRun, keepDays }: { readonly isDryRun: boolean; readonly keepDays: number },
): void {
  const { repository, kind, files, xorbs, sharedXorbs, objects } = forgotten
  const amounts = { files: amountText(files), xorbs: amountText(xorbs) }
  print(record({ repository, kind, ...amounts, objectsFreed: objects }))
  if (sharedXorbs > 0) {
    const stay = sharedXorbs === 1 ? 'this one stays' : 'these stay'
    tell(`Other files use ${counted(sharedXorbs, 'xorb')} of it too: ${stay}.`)
  }
  tell(isDryRun ? 'Not deleted yet: pass --yes to delete it for good.' : 'It is deleted.')
  if (objects > 0 && keepDays > 0) tell(whenBytesGo(keepDays))
}

function whenBytesGo(keepDays: number): string {
  return `The bytes are unreachable. "latchkey storage gc --delete" deletes them after ${counted(keepDays, 'day')}; --now deletes them at once.`
}
