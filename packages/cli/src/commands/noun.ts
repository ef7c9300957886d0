/** `latchkey account …`: a noun of the directory, with its verbs below it. */

import { verbs } from '@latchkey/admin-api'
import { didYouMean } from '@latchkey/protocol'
import { Command } from 'commander'
import { wrongUsage } from '../output/stop.ts'
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
  const names = command.commands.map((one) => one.name())
  if (names.includes('set') && !names.includes('create')) teachSet(command, names)
  return command
}

/** Some things are made by `set`, and are looked for under `create`, as others are made. */
function teachSet(command: Command, names: readonly string[]): void {
  command.on('command:*', ([word = '']: readonly string[]) => {
    const meant =
      word === 'create'
        ? `: latchkey ${command.name()} set makes what is not there yet.`
        : `.${didYouMean(word, names)}`
    throw wrongUsage(`unknown command '${word}'${meant} See latchkey ${command.name()} --help.`)
  })
}
