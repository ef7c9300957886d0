/** `latchkey conform`: checks another hub, gate or storage, clause by clause. */

import { type ConformFlags, ConformStop, conformOptions, runConform } from '@latchkey/conform'
import { Command } from 'commander'
import { whichHubOptions } from '../configuration/data-options.ts'
import { trustCertificates } from '../configuration/trust-ca-cert.ts'
import { print } from '../output/show-result.ts'
import { type ExitCode, Stop } from '../output/stop.ts'
import { tell } from '../output/tell.ts'

export function conformCommand(): Command {
  const command = new Command('conform')
    .description(
      'Checks another hub, gate or storage against the specification of storage tokens, and prints a line for each clause. A hub must have the accounts and repositories of a small world. For a gate or storage, the command plays the hub.',
    )
    .addHelpText('after', teaching)
    .option('--ca-cert <file>', whichHubOptions.caCert.summary)
    .action(conform)
  for (const { form, description, isRepeated } of conformOptions) {
    if (isRepeated === true) command.option(form, description, append)
    else command.option(form, description)
  }
  return command
}

function append(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value]
}

const teaching = `
Examples:
  latchkey conform --print-setup
  latchkey conform --hub http://127.0.0.1:8080 --tokens tokens.json
  latchkey conform --hub https://hub.example --tokens tokens.json --profile huggingface
  latchkey conform --hub https://hub.example --tokens tokens.json --format junit > report.xml
  latchkey conform --cas 'http://127.0.0.1:8081/r/{repo}/{ref}' --profile verifier
  latchkey conform --cas 'http://127.0.0.1:8081/r/{repo}/{ref}' --files '/files/{name}'

With --cas, start the server under test with the hub URL that the command prints.

The exit code is 1 if a check fails that no file of expected failures names, or if one passes that
such a file names.`

async function conform(options: ConformFlags): Promise<void> {
  const { caCert: file, ...flags } = options
  if (typeof file === 'string') trustCertificates(file, '--ca-cert')
  try {
    process.exitCode = await runConform(flags, { print, tell })
  } catch (error) {
    throw error instanceof ConformStop ? asStop(error) : error
  }
}

function asStop({ exitCode, message }: ConformStop): Stop {
  const code: ExitCode = exitCode
  return new Stop(code, message)
}
