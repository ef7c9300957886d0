import { Command } from 'commander'
import { askWho, hintOf, type Who } from '../client/ask-who.ts'
import { currentLogin } from '../client/current-login.ts'
import { addConfigurationFlags } from '../configuration/flags.ts'
import type { Flags } from '../configuration/read-configuration.ts'
import type { Login } from '../credentials/find-login.ts'
import { jsonText, print } from '../output/show-result.ts'
import { record, type TableRow } from '../output/table.ts'

export function whoamiCommand(): Command {
  const command = new Command('whoami')
    .description(
      'Shows the account and the kind of the hub token that latchkey token and fetch use. Never shows the hub token itself.',
    )
    .option('--json', 'Print JSON for machines instead of lines for people.')
    .addHelpText('after', teaching)
    .action(whoami)
  return addConfigurationFlags(command, 'client')
}

const teaching = `
Examples:
  latchkey whoami
  latchkey whoami --hub https://hub.example --json`

async function whoami(flags: Flags): Promise<void> {
  const login = await currentLogin(flags, process.env)
  const who = await askWho(login)
  const { url: hub, source } = login
  print(flags['json'] === true ? jsonText({ hub, source, ...who }) : record(rowOf(login, who)))
}

function rowOf({ url: hub, variable }: Login, { account, hubToken }: Who): TableRow {
  const { account: _, name, kind, ...rest } = hubToken
  return {
    ...{ hub, account: account.name, accountKind: account.kind },
    ...{ administrator: account.administrator, hubToken: name, hubTokenKind: kind },
    ...{ source: variable ?? 'latchkey login', ...rest, hint: hintOf(hubToken) },
  }
}
