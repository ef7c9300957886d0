/** `latchkey session`: the browsers in which one's own account is signed in. */

import { parseHubTokenId } from '@latchkey/protocol'
import { Command } from 'commander'
import { addConfigurationFlags } from '../configuration/flags.ts'
import { wrongUsage } from '../output/stop.ts'
import { revokeOwn, showList } from './own-hub-token.ts'

type Flags = Readonly<Record<string, unknown>>

const json = 'Print JSON for machines instead of a table for people.'

export function sessionCommand(): Command {
  const session = new Command('session').description(
    'Lists and ends the sessions of your account in browsers, by your login.',
  )
  const list = session
    .command('list')
    .description('Lists the browsers in which your account is signed in, the newest first.')
    .option('--json', json)
    .addHelpText('after', '\nExample:\n  latchkey session list')
    .action((flags: Flags) => showList('sessions', flags))
  const revoke = session
    .command('revoke')
    .description('Ends a session of your account.')
    .argument('<session>', 'The id of the session, as the list shows it.')
    .option('--json', json)
    .addHelpText('after', '\nExample:\n  latchkey session revoke <id>')
    .action(async (id: string, flags: Flags) => {
      if (parseHubTokenId(id) === undefined) {
        throw wrongUsage('<session>: give the id of the session, as the list shows it')
      }
      await revokeOwn(`sessions/${id}`, flags)
    })
  for (const command of [list, revoke]) addConfigurationFlags(command, 'client')
  return session
}
