/** `latchkey token read models/acme/bert@main`: a storage token, for a person, a script or curl. */

import type { StorageToken } from '@latchkey/client'
import { type Scope, scopes } from '@latchkey/protocol'
import { shellWord } from '@latchkey/service/text'
import { Command, Option as Flag } from 'commander'
import { currentLogin } from '../client/current-login.ts'
import { parseTarget, targetForm } from '../client/target.ts'
import { withTransferClient } from '../client/with-client.ts'
import { addConfigurationFlags } from '../configuration/flags.ts'
import type { Flags } from '../configuration/read-configuration.ts'
import { jsonText, print } from '../output/show-result.ts'
import { choice } from './choice.ts'

export function tokenCommand(): Command {
  const command = new Command('token')
    .description(
      'Requests a storage token from the hub and prints it. It gives access to one repository at one revision for a short time. The hub token comes from latchkey login, or from LATCHKEY_HUB_TOKEN or LATCHKEY_HUB_TOKEN_FILE.',
    )
    .addArgument(choice('<scope>', 'the scope of the token; write includes read', scopes))
    .argument('<target>', `${targetForm}; main if left out`)
    .addHelpText('after', teaching)
    .action(showToken)
  for (const { name, about } of forms) {
    const others = forms.map((form) => form.name).filter((other) => other !== name)
    command.addOption(new Flag(`--${name}`, about).conflicts(others))
  }
  return addConfigurationFlags(command, 'client')
}

const teaching = `
Examples:
  latchkey token read models/acme/bert@main
  latchkey token read models/acme/bert@main --header | curl -H @- https://cas.example/v1/...
  latchkey token write models/acme/bert@refs/pr/1 --json
  eval "$(latchkey token read datasets/acme/corpus --env)"

With --header the token reaches curl without showing in a process list or a shell history.
latchkey fetch sends a request to the storage, and renews the token when needed.`

interface Form {
  readonly name: string
  readonly about: string
  readonly text: (token: Shown) => string
}

interface Shown extends Pick<StorageToken, 'exp' | 'casUrl'> {
  readonly accessToken: string
}

const forms: readonly Form[] = [
  {
    name: 'json',
    about: 'Print accessToken, exp and casUrl as JSON.',
    text: (token) => jsonText(token),
  },
  {
    name: 'header',
    about: 'Print a header line, for curl -H @-.',
    text: ({ accessToken }) => `Authorization: Bearer ${accessToken}\n`,
  },
  {
    name: 'env',
    about: 'Print lines for a shell: CAS_URL, CAS_TOKEN and CAS_TOKEN_EXP.',
    text: ({ accessToken, exp, casUrl }) =>
      Object.entries({ CAS_URL: casUrl, CAS_TOKEN: accessToken, CAS_TOKEN_EXP: String(exp) })
        .map(([name, value]) => `export ${name}=${shellWord(value)}\n`)
        .join(''),
  },
]

async function showToken(scope: Scope, targetText: string, flags: Flags): Promise<void> {
  const target = parseTarget(targetText)
  const login = await currentLogin(flags, process.env)
  const { accessToken, exp, casUrl } = await withTransferClient(login, target, (client) =>
    client.token(scope),
  )
  const text = forms.find(({ name }) => flags[name] === true)?.text ?? bare
  print(text({ accessToken: accessToken.reveal(), exp, casUrl }))
}

function bare({ accessToken }: Shown): string {
  return `${accessToken}\n`
}
