/** The `latchkey` command: its words, and what each of them does. */

import { Command, Help, type Option } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { type CommandRow, commandRows } from './command-rows.ts'

/** Only the commands named among the words are loaded; left out, all are. */
export async function program(words: readonly string[] = everyName): Promise<Command> {
  const latchkey = new Command('latchkey')
    .description(
      'Runs and manages a hub that issues short-lived storage tokens, runs the gate that enforces them, and uses both as their client.',
    )
    .version(manifest.version)
    // `storage` refuses the `--hub` that `storage serve` takes.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .configureHelp({ helpWidth: 100, sortSubcommands: false, optionDescription })
    .addHelpText('after', teaching)
    .addHelpText('afterAll', `\n${exitCodesHelp}`)
  for (const row of commandRows) {
    adopt(latchkey, words.includes(row.name) ? await row.load(program) : listed(row), row)
  }
  return latchkey
}

/** An option that must be given says so. */
function optionDescription(option: Option): string {
  const about = new Help().optionDescription(option)
  return option.mandatory ? `${about} (required)` : about
}

const everyName = commandRows.map(({ name }) => name)

const teaching = `
First steps, in an empty folder ("latchkey serve --demo" starts a demo with example data):

  Create an administrator, a namespace, and a hub token in a file:
    latchkey account create ada --administrator
    latchkey namespace create lab
    latchkey member set lab ada admin
    latchkey hub-token create ada laptop --kind write --output ada.token

  Run the hub, the storage and repositories for hf and git until Ctrl+C:
    latchkey serve --forge

  In a second terminal, in the same folder, upload a file and download it:
    export HF_ENDPOINT=http://127.0.0.1:8080
    export HF_TOKEN_PATH=$PWD/ada.token
    hf repos create lab/first
    hf upload lab/first model.safetensors
    hf download lab/first --local-dir copy

The tutorial docs/start/your-own-hub.md continues with TLS, a service, a second user and a backup.
Every command has --help. Data goes to standard output, messages to standard error.`

export const exitCodesHelp =
  'Exit codes: 0 success, 1 rejected, 2 wrong usage or input, 3 a service or a file is unavailable.'

/** Enough for the list and for "Did you mean …?"; cannot be run, because nobody has named it. */
function listed({ name, takes }: CommandRow): Command {
  const command = new Command(name)
  return takes === '' ? command : command.arguments(takes)
}

function adopt(parent: Command, command: Command, { summary }: CommandRow): void {
  inherit(command.summary(summary), parent)
  parent.addCommand(command)
}

function inherit(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent)
  for (const child of command.commands) inherit(child, command)
}
