/** `latchkey account …`: a noun of the directory, with its verbs below it. */

import { verbs } from '@latchkey/admin-api'
import { Command } from 'commander'
import { defineVerbCommand } from './verb-command.ts'

export function nounCommand(noun: string, about: string): Command {
  const command = new Command(noun).description(about)
  for (const verb of verbs) {
    const [first, action] = verb.words.split(' ')
    if (first === noun && action !== undefined) defineVerbCommand(command.command(action), verb)
  }
  return command
}
