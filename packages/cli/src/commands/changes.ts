/** `latchkey changes`: the journal of the directory, an entry a line, and what is added to it later. */

import { setTimeout as delay } from 'node:timers/promises'
import { journalEntry, type Verb } from '@latchkey/admin-api'
import { isRefusal } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import { Command } from 'commander'
import { z } from 'zod'
import { numberFlag } from '../configuration/flags.ts'
import { wholeNumber } from '../configuration/kind.ts'
import { addManagementFlags, managementFrom } from '../management/choose-management.ts'
import {
  type Input,
  type Management,
  type UseManagement,
  verbCalled,
} from '../management/management.ts'
import { stopFor } from '../management/refusal-line.ts'
import { changeLine } from '../output/change-line.ts'
import { jsonText, printAll } from '../output/show-result.ts'
import { exitCodes, Stop, unavailable, wrongUsage } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import { checkInput } from './verb-input.ts'

type Flags = Readonly<Record<string, unknown>>

const entries = wholeNumber(1, 1_000_000_000)

export function changesCommand(): Command {
  const command = new Command('changes')
    .description(
      'Shows the journal: every change of accounts, permissions, repositories and tokens, with its actor and its time, the oldest first. With --follow, it continues with new entries until you stop it.',
    )
    .option('--follow', 'Continue with new entries until Ctrl-C.')
    .option(
      '--since <time>',
      'Only entries from this time on: a time with its zone, or a day, which begins at midnight UTC. A number means entries after this one.',
    )
    .option(
      '--last <number>',
      'Begin with this many of the newest entries, up to 1000.',
      numberFlag('--last', wholeNumber(1, 1000)),
    )
    .option('--repo <repository>', 'Only entries about this repository, even if it is deleted.')
    .option('--account <name>', 'Only entries about this account, or by it.')
    .option(
      '--limit <number>',
      'End after this many entries. Default: none.',
      numberFlag('--limit', entries),
    )
    .addHelpText('after', teaching)
    .action(showChanges)
  const json = 'Print each entry as one line of JSON, for programs.'
  return addManagementFlags(command, { json })
}

const teaching = `
Examples:
  latchkey changes --last 20
  latchkey changes --since 2026-11-15 --repo models/acme/bert
  latchkey changes --account ada --json
  latchkey changes --follow --since 2026-11-15T08:00:00Z
  latchkey changes --follow --since <number> --hub https://hub.example

A line has: number, time, actor, operation, change. "root (command)" is a user of the hub's machine.
"(narrows access)" marks a change that may have removed a permission.
Programs save the last number that they have read, and continue with --since.`

async function showChanges({ follow, limit, json, ...flags }: Flags): Promise<void> {
  const verb = verbCalled('changes')
  const input = inputFrom(flags)
  checkInput(verb, input, (member) => names.get(member))
  const isFollowing = follow === true
  endQuietly(isFollowing)
  const most = typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY
  const show = (page: readonly Entry[]) => printAll(page.map(json === true ? jsonLine : changeLine))
  const use = managementFrom(flags, { create: false })
  const count = await readChanges(use, { verb, input, most, isFollowing, show })
  if (count === 0 && json !== true) tell('There are none.')
}

/** This command's names for the members of the operation's input. */
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
  const members = { after: since, last, repository: repo, account }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
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

/** A newer hub may tell more about an entry than we know. */
const entry = journalEntry.loose()
const answered = z.object({ items: z.array(entry), last: z.number().int() })

type Entry = z.output<typeof entry>

interface ChangesReading {
  readonly verb: Verb
  readonly input: Input
  /** How many entries are shown before the end. */
  readonly most: number
  readonly isFollowing: boolean
  show(page: readonly Entry[]): Promise<void>
}

const pageLength = 100
/** A hub answers as soon as there is an entry; a look at the data directory does not wait. */
const waitSeconds = 30
const maxPauseSeconds = 30

/** Gives the number of entries shown. */
async function readChanges(use: UseManagement, reading: ChangesReading): Promise<number> {
  const { most, isFollowing, show } = reading
  let input: Input = { ...reading.input, ...(isFollowing ? { wait: waitSeconds } : {}) }
  let count = 0
  let { last: newest }: Input = reading.input
  const readOn = async (management: Management) => {
    let isFull = true
    while (isFull && count < most) {
      const limit = Math.min(pageLength, most - count)
      const { items, last } = await ask(management, reading.verb, { ...input, limit })
      await show(items)
      count += items.length
      isFull = newest === undefined && items.length === limit
      newest = undefined
      const { last: _, ...others } = input
      input = { ...others, after: String(last) }
    }
  }
  // A connection that is open while a backup is restored damages the database, so each look opens its own.
  await use(readOn)
  while (isFollowing && count < most) await lookAgain(() => use(readOn))
  return count
}

async function ask(management: Management, verb: Verb, input: Input) {
  const answer = await management.run(verb, input)
  if (isRefusal(answer)) {
    // The hub speaks of its parameter, a person has typed a flag.
    const detail = answer.detail.replaceAll('after=', '--since ')
    throw stopFor({ ...answer, detail, path: '' })
  }
  const read = answered.safeParse(answer)
  if (read.success) return read.data
  throw unavailable('the response is not a page of the journal; check --hub')
}

/** Looks once more after a second. An outage is said once; then the pauses grow until it is over. */
async function lookAgain(look: () => Promise<void>): Promise<void> {
  for (let failures = 0; ; failures += 1) {
    await delay(Math.min(2 ** failures, maxPauseSeconds) * 1000)
    try {
      return await look()
    } catch (error) {
      if (!isOutage(error)) throw error
      if (failures === 0) tell(`latchkey: ${error.message}; trying again until it works`)
    }
  }
}

function isOutage(error: unknown): error is Error {
  if (error instanceof CannotStart) return true
  return error instanceof Stop && error.exitCode === exitCodes.unavailable
}
