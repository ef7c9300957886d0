/** `latchkey changes`: the journal of the directory, an entry a line, and what is added to it later. */

import { Command } from 'commander'
import { wholeNumber } from '../configuration/kind.ts'
import { numberFlag } from '../configuration/number-flag.ts'
import { addManagementFlags, managementFrom } from '../management/choose-management.ts'
import { type Input, verbCalled } from '../management/management.ts'
import { type Entry, readChanges } from '../management/read-changes.ts'
import { changeLine } from '../output/change-line.ts'
import { jsonText, printAll } from '../output/show-result.ts'
import { exitCodes, wrongUsage } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import { checkInput } from './verb-input.ts'

type Flags = Readonly<Record<string, unknown>>

const entries = wholeNumber(1, 1_000_000_000)

export function changesCommand(): Command {
  const command = new Command('changes')
    .description(
      'Shows who changed what in the directory, and when: the oldest entry first, a line each. With --follow it goes on with every new entry until it is stopped.',
    )
    .option('--follow', 'Go on with what changes from now on, until Ctrl-C.')
    .option(
      '--since <time>',
      'Only what came from this time on: a time with its zone, or a day, which begins at midnight UTC. A number means what came after this entry.',
    )
    .option(
      '--last <number>',
      'Begin with the newest entries: this many, up to 1000.',
      numberFlag('--last', wholeNumber(1, 1000)),
    )
    .option('--repo <repository>', 'Only what concerns this repository, also after its end.')
    .option('--account <name>', 'Only what concerns this account, and what it did.')
    .option(
      '--limit <number>',
      'End after this many entries. Default: none.',
      numberFlag('--limit', entries),
    )
    .addHelpText('after', teaching)
    .action(showChanges)
  const json = 'Print each entry as JSON on a line of its own, for machines.'
  return addManagementFlags(command, { json })
}

const teaching = `
Examples:
  latchkey changes --last 20
  latchkey changes --since 2026-11-15 --repo models/acme/bert
  latchkey changes --account ada --json
  latchkey changes --follow --since 2026-11-15T08:00:00Z
  latchkey changes --follow --since <number> --hub https://hub.example

A line is: number, time, who, the verb, and what happened. "root (command)" is a user of the hub's
machine. "(narrows access)" marks what may have taken a permission from somebody.
Programs keep the last number that they have seen, and go on with --since.`

async function showChanges({ follow, limit, json, ...flags }: Flags): Promise<void> {
  const verb = verbCalled('changes')
  const input = inputFrom(flags)
  checkInput(verb, input, (member) => names.get(member))
  const isFollowing = follow === true
  endQuietly(isFollowing)
  const most = typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY
  const show = (page: readonly Entry[]) => printAll(page.map(json === true ? jsonLine : changeLine))
  const use = managementFrom(flags, { create: false })
  const shown = await readChanges(use, { verb, input, most, isFollowing, show })
  if (shown === 0 && json !== true) tell('There are none.')
}

/** What this command calls the members of the verb's input. */
const names = new Map([
  ['after', '--since'],
  ['last', '--last'],
  ['repository', '--repo'],
  ['account', '--account'],
])

function inputFrom({ since, last, repo, account }: Flags): Input {
  if (since !== undefined && last !== undefined) {
    throw wrongUsage('--last counts from the end of the journal: give --last or --since, not both')
  }
  const given = { after: since, last, repository: repo, account }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function jsonLine(entry: Entry): string {
  return jsonText(entry, 0)
}

/** `head` closes the pipe when it has enough. Only `--follow` is meant to be ended by a signal. */
function endQuietly(isFollowing: boolean): void {
  const end = () => process.exit(exitCodes.done)
  process.stdout.once('error', end)
  if (!isFollowing) return
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end)
}
