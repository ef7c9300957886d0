/** docs/reference/cli.md: every command, from the program that runs them. */

import type { EventEmitter } from 'node:events'
import { type Argument, type Command, Help, type Option } from 'commander'
import { exitCodesHelp, program } from '../../packages/cli/src/program.ts'
import { code, opening, sentence, table, wrapped } from './markdown.ts'

export async function cliPage(): Promise<string> {
  const commands = everyCommand(await program()).slice(1)
  const common = commonGroups(commands)
  const rows = commands
    .filter((command) => command.commands.length === 0)
    .map((command) => [
      `[${code(nameOf(command))}](#${anchorOf(nameOf(command))})`,
      firstSentence(command.summary() || command.description()),
    ])
  return [
    opening('Command line', 'the command itself', introduction),
    table(['command', 'summary'], rows),
    '## Common options\n',
    wrapped('Many commands take the same options. Their sections link to these tables.'),
    '',
    ...Array.from(common, ([body, title]) => `### ${title}\n\n${body}`),
    ...commands.map((command) => section(command, common)),
  ].join('\n')
}

/** Tables of options that many commands share, and the heading of each. */
type CommonGroups = ReadonlyMap<string, string>

const leastCommon = 7

function commonGroups(commands: readonly Command[]): CommonGroups {
  const shared = new Map<string, { group: string; count: number }>()
  for (const { group, body } of commands.flatMap(optionGroupsOf)) {
    if (group === undefined) continue
    shared.set(body, { group, count: (shared.get(body)?.count ?? 0) + 1 })
  }
  const common = [...shared].filter(([, { count }]) => count >= leastCommon)
  const titles = new Set<string>()
  return new Map(
    common.map(([body, { group }]) => {
      const title = titles.has(group) ? `${group} (${titles.size})` : group
      titles.add(title)
      return [body, `Common options: ${title}`]
    }),
  )
}

const introduction = `
${wrapped(`\`latchkey\` runs and manages a hub and its storage, and is a client of both. Each command
shows this text with \`--help\`. Commands print data to standard output, and messages to standard
error.`)}

## Exit codes

${table(
  ['code', 'meaning'],
  Array.from(exitCodesHelp.matchAll(/(\d) ([^,.]+(?:, [a-z][^,.\d]+)*)/g), ([, exit, meaning]) => [
    exit ?? '',
    meaning ?? '',
  ]),
)}
## Commands
`

function firstSentence(text: string): string {
  return sentence(text.split(/(?<=\.) /, 1).join(''))
}

function everyCommand(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(everyCommand)]
}

/** With the words that lead to it. */
function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')
}

function section(command: Command, common: CommonGroups): string {
  const depth = command.parent?.parent === null ? '##' : '###'
  const { commands, registeredArguments } = command
  return [
    `${depth} ${nameOf(command)}\n`,
    `${wrapped(sentence(command.description() || command.summary()))}\n`,
    ...(commands.length > 0 ? [] : [`\`\`\`text\n${synopsis(command)}\n\`\`\`\n`]),
    ...argumentTable(registeredArguments),
    ...optionTables(command, common),
    ...teachingOf(command),
  ].join('\n')
}

function synopsis(command: Command): string {
  return `${nameOf(command)} ${command.usage()}`
}

function argumentTable(them: readonly Argument[]): readonly string[] {
  const rows = them.map((one) => [code(one.name()), argumentDescription(one)])
  return rows.every(([, about]) => about === '') ? [] : [table(['argument', 'description'], rows)]
}

function argumentDescription(argument: Argument): string {
  return new Help().argumentDescription(argument)
}

interface OptionGroup {
  /** Undefined for the options of the command itself. */
  readonly group: string | undefined
  readonly body: string
}

function optionGroupsOf(command: Command): readonly OptionGroup[] {
  const options = new Help().visibleOptions(command).filter(({ long }) => long !== '--help')
  const groups = new Set(options.map((option) => option.helpGroupHeading))
  return Array.from(groups, (heading) => {
    const them = options.filter((option) => option.helpGroupHeading === heading)
    const rows = them.map((option) => [code(option.flags), optionDescription(option)])
    const group = heading?.replace(/:$/, '')
    return { group, body: table([group ?? 'option', 'description'], rows) }
  })
}

/** Groups that many commands share become links. */
function optionTables(command: Command, common: CommonGroups): readonly string[] {
  const groups = optionGroupsOf(command)
  const links = groups.flatMap(({ group, body }) => {
    const title = common.get(body)
    return title === undefined ? [] : [`[${group}](#${anchorOf(title)})`]
  })
  const own = groups.filter(({ body }) => !common.has(body)).map(({ body }) => body)
  return links.length === 0 ? own : [...own, `${wrapped(`Common options: ${links.join(', ')}.`)}\n`]
}

function optionDescription(option: Option): string {
  const about = new Help().optionDescription(option)
  return option.mandatory ? `${about} (required)` : about
}

/** Examples and notes that the command adds below its help. */
function teachingOf(command: Command): readonly string[] {
  let text = ''
  const write = (part: string) => {
    text += part
  }
  ;(command as unknown as EventEmitter).emit('afterHelp', { error: false, write, command })
  return text.trim() === '' ? [] : [`\`\`\`text\n${text.trim()}\n\`\`\`\n`]
}
