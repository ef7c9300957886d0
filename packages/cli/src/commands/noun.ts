/** `latchkey account …`: a noun of the directory, with its verbs below it. */

import { verbs } from '@latchkey/admin-api'
import { Command } from 'commander'
import { defineVerbCommand } from './verb-command.ts'

/** `own` are commands that take the place of a verb's, or stand beside them. */
export function nounCommand(noun: string, about: string, own: readonly Command[] = []): Command {
  const command = new Command(noun).description(about)
  for (const verb of verbs) {
    const [first, action] = verb.words.split(' ')
    const isOwn = own.some((one) => one.name() === action)
    if (first !== noun || action === undefined || isOwn) continue
    defineVerbCommand(command.command(action), verb)
  }
  for (const one of own) command.addCommand(one)
  return command
}
