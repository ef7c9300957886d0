/** `latchkey hub-token`: the verbs, and `rotate`, which is for one's own hub tokens alone. */

import { parseHubTokenId } from '@latchkey/protocol'
import { Command } from 'commander'
import { addConfigurationFlags } from '../configuration/flags.ts'
import { wrongUsage } from '../output/stop.ts'
import { nounCommand } from './noun.ts'
import { make } from './own-hub-token.ts'

export function hubTokenCommand(): Command {
  return nounCommand('hub-token', 'manage hub tokens, the credentials of accounts', [
    rotateCommand(),
  ])
}

function rotateCommand(): Command {
  const command = new Command('rotate')
    .description(
      'Gives a hub token of your own account a new secret: approve it in a browser. The old secret ends at once; kind and repositories stay.',
    )
    .argument('<hubToken>', 'The id of the hub token, as the list shows it.')
    .requiredOption('--mine', 'It is one of your own account.')
    .option('--json', 'Print JSON for machines instead of a table for people.')
    .option('--output <file>', 'Write the new secret to this new file, for its owner only.')
    .addHelpText('after', '\nExample:\n  latchkey hub-token rotate --mine <id> --output new.token')
    .action(rotate)
  return addConfigurationFlags(command, 'client')
}

async function rotate(hubToken: string, flags: Readonly<Record<string, unknown>>): Promise<void> {
  if (parseHubTokenId(hubToken) === undefined) {
    throw wrongUsage('<hubToken>: give the id of the hub token, as the list shows it')
  }
  await make({ type: 'hub-token-rotate', hubToken }, flags)
}
