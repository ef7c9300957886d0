/** `latchkey storage readdress`: new addresses of the storage, after the database was restored. */

import { isRefusal } from '@latchkey/protocol'
import { readdress } from '@latchkey/storage/upkeep'
import { Command } from 'commander'
import { type Flags, readConfiguration } from '../configuration/read-configuration.ts'
import { stopFor } from '../management/refusal-line.ts'
import { recordAtHub } from '../management/with-upkeep.ts'
import { jsonText, print } from '../output/show-result.ts'
import { tell } from '../output/tell.ts'
import { addStorageFlags } from './storage-flags.ts'
import { readWantedRepository, wantedText } from './storage-repository.ts'
import { counted } from './storage-words.ts'

export function storageReaddressCommand(): Command {
  const command = new Command('readdress')
    .summary('give clients new addresses, after a restore')
    .description(
      'Gives every ref of one repository, or of all, an address of the storage that it never had. Clients remember by address what they have uploaded, and do not send it again; run this when the storage may hold less than it did, as after a restore. Addresses that were given out before go on working.',
    )
    .argument('[repository]', 'only this one, such as models/acme/bert, or its uid')
    .option('--json', 'Print JSON for machines instead of a line for people.')
    .addHelpText('after', teaching)
    .action(giveAddresses)
  return addStorageFlags(command)
}

const teaching = `
Examples:
  latchkey storage readdress
  latchkey storage readdress models/acme/bert

The next upload to each ref asks again what is there, and sends what is not.`

async function giveAddresses(named: string | undefined, { json, ...flags }: Flags): Promise<void> {
  const repository = named === undefined ? undefined : readWantedRepository(named)
  const configuration = readConfiguration(flags, process.env)
  const repositories = await recordAtHub(configuration, {
    verb: 'storage readdress',
    target: () => (repository === undefined ? {} : { repository: wantedText(repository) }),
    work: (hub) => readdress(hub, repository),
  })
  if (isRefusal(repositories)) throw stopFor(repositories)
  if (json === true) print(jsonText({ repositories }))
  else
    tell(`The refs of ${counted(repositories, 'repository', 'repositories')} have new addresses.`)
}
