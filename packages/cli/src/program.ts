/** The `latchkey` command: its words, and what each of them does. */

import { type Verb, verbs } from '@latchkey/hub'
import { Command } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { applyCommand } from './commands/apply.ts'
import { backupCommand } from './commands/backup.ts'
import { completionCommand } from './commands/completion.ts'
import { explainCommand } from './commands/explain.ts'
import { fetchCommand } from './commands/fetch.ts'
import { gateCommand } from './commands/gate.ts'
import { loginCommand } from './commands/login.ts'
import { logoutCommand } from './commands/logout.ts'
import { serveCommand } from './commands/serve.ts'
import { tokenCommand } from './commands/token.ts'
import { defineVerbCommand } from './commands/verb-command.ts'
import { whoamiCommand } from './commands/whoami.ts'

const nouns: Readonly<Record<string, string>> = {
  account: 'people and services',
  namespace: 'where repositories live, and who its members are',
  member: 'who may do what in a namespace',
  repo: 'repositories: models, datasets and spaces',
  collaborator: 'who else may do what in one repository',
  ref: 'branches, tags and other refs',
  commit: 'commits on record',
  'ref-rule': 'which role writing a ref needs',
  'hub-token': 'the credentials of accounts at the hub',
  keys: 'the keys that sign storage tokens',
}

export function program(): Command {
  const latchkey = new Command('latchkey')
    .description(
      'Runs and manages a hub that issues short-lived storage tokens, runs the gate that enforces them, and uses both as their client.',
    )
    .version(manifest.version)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .configureHelp({ helpWidth: 100, sortSubcommands: false })
    .addHelpText('after', teaching)
    .addHelpText('afterAll', `\n${exitCodesHelp}`)
  adopt(latchkey, serveCommand(), gateCommand())
  adopt(latchkey, tokenCommand(), fetchCommand(), loginCommand(), logoutCommand(), whoamiCommand())
  adopt(latchkey, applyCommand(), explainCommand(), backupCommand(), completionCommand())
  for (const verb of verbs) if (!apart.includes(verb.words)) addVerb(latchkey, verb)
  return latchkey
}

/** Verbs with a command of their own making. */
const apart: readonly string[] = ['apply', 'explain']

const teaching = `
First steps:
  latchkey serve --demo                                  a small world to try things in
  latchkey account create ada --administrator            the first administrator
  latchkey hub-token create ada laptop --kind write      a hub token, shown once
  latchkey serve                                         the hub
  latchkey login --hub http://127.0.0.1:8080             keep the hub token, as its client
  latchkey token read models/acme/bert@main              a storage token
  latchkey fetch models/acme/bert@main /v1/...           what the storage has, token included

Every command explains itself with --help. Data goes to standard output, messages to standard error.`

const exitCodesHelp =
  'Exit codes: 0 done, 1 refused, 2 wrong usage or input, 3 could not reach, open or start something.'

function adopt(parent: Command, ...commands: readonly Command[]): void {
  for (const command of commands) {
    inherit(command, parent)
    parent.addCommand(command)
  }
}

function inherit(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent)
  for (const child of command.commands) inherit(child, command)
}

function addVerb(latchkey: Command, verb: Verb): void {
  const [noun = '', ...action] = verb.words.split(' ')
  const parent =
    latchkey.commands.find((command) => command.name() === noun) ?? addNoun(latchkey, noun)
  defineVerbCommand(action.length === 0 ? parent : parent.command(action.join('-')), verb)
}

function addNoun(latchkey: Command, noun: string): Command {
  return latchkey.command(noun).description(nouns[noun] ?? noun)
}
