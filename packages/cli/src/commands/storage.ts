/** `latchkey storage …`: what an operator does with a storage and the content that it holds. */

import { isRefusal } from '@latchkey/protocol'
import { resetUrls } from '@latchkey/storage/maintenance'
import { Command } from 'commander'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { stopFor } from '../management/refusal-line.ts'
import { recordAtHub } from '../management/with-maintenance.ts'
import { jsonText, print } from '../output/show-result.ts'
import { tell } from '../output/tell.ts'
import { storageAdoptCommand } from './storage-adopt.ts'
import { storageCopyCommand } from './storage-copy.ts'
import { storageDeleteCommand } from './storage-delete.ts'
import { storageGcCommand } from './storage-gc.ts'
import { storageReconcileCommand } from './storage-reconcile.ts'
import { addStorageFlags, counted, readWantedRepository, wantedText } from './storage-repository.ts'
import { storageRotateKeyCommand } from './storage-rotate-key.ts'
import { storageServeCommand } from './storage-serve.ts'
import { storageUsageCommand } from './storage-usage.ts'
import { storageVerifyCommand } from './storage-verify.ts'

/** `latchkey storage reset-urls`: new addresses of the storage, after the database was restored. */
function storageResetUrlsCommand(): Command {
  const command = new Command('reset-urls')
    .summary('give clients new storage URLs, after a restore')
    .description(
      'Gives every ref of one repository, or of all, a new storage URL. Clients remember by URL which content they have uploaded, and do not send it again; run this command if the storage may have lost content, for example after a restore. Earlier URLs continue to work.',
    )
    .argument('[repository]', 'only this one, such as models/acme/bert, or its uid')
    .option('--json', 'Print JSON for machines instead of a line for people.')
    .addHelpText('after', teaching)
    .action(giveAddresses)
  return addStorageFlags(command)
}

const teaching = `
Examples:
  latchkey storage reset-urls
  latchkey storage reset-urls models/acme/bert

The next upload to each ref checks again which content exists, and sends the rest.`

async function giveAddresses(named: string | undefined, { json, ...flags }: Flags): Promise<void> {
  const repository = named === undefined ? undefined : readWantedRepository(named)
  const configuration = readConfiguration(flags, process.env)
  const repositories = await recordAtHub(configuration, {
    verb: 'storage reset-urls',
    target: () => (repository === undefined ? {} : { repository: wantedText(repository) }),
    work: (hub) => resetUrls(hub, repository),
  })
  if (isRefusal(repositories)) throw stopFor(repositories)
  if (json === true) print(jsonText({ repositories }))
  else
    tell(
      `The refs of ${counted(repositories, 'repository', 'repositories')} have new storage URLs.`,
    )
}

export function storageCommand(): Command {
  return new Command('storage')
    .description(
      'Runs a storage on a separate machine; measures, verifies and deletes the content of the storage on this machine.',
    )
    .addCommand(storageServeCommand())
    .addCommand(storageUsageCommand())
    .addCommand(storageGcCommand())
    .addCommand(storageDeleteCommand())
    .addCommand(storageVerifyCommand())
    .addCommand(storageCopyCommand())
    .addCommand(storageResetUrlsCommand())
    .addCommand(storageReconcileCommand())
    .addCommand(storageAdoptCommand())
    .addCommand(storageRotateKeyCommand())
}
