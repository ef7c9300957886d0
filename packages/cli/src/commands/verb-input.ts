import { type Parameter, readInput, type Verb } from '@latchkey/admin-api'
import { isRefusal } from '@latchkey/protocol'
import { quoteGiven } from '@latchkey/service/text'
import { Argument, type Command, Option as Flag } from 'commander'
import type { Input } from '../management/management.ts'
import { wrongUsage } from '../output/stop.ts'
import { grantForm, parseGrant } from '../output/table.ts'
import { flagFor, pipedName } from './parameter.ts'

export function addParameters(
  command: Command,
  parameters: readonly Parameter[],
  positional: readonly string[],
): void {
  for (const { member, required, about, choices } of argumentsAmong(parameters, positional)) {
    const argument = new Argument(required ? `<${member}>` : `[${member}]`, about)
    // Shown and completed; that it is one of them is checked with the rest of the input.
    if (choices !== undefined) argument.argChoices = [...choices]
    command.addArgument(argument)
  }
  for (const parameter of parameters) {
    if (!positional.includes(parameter.member))
      flagsFor(parameter).forEach((flag) => void command.addOption(flag))
  }
}

export function inputFrom(
  command: Command,
  parameters: readonly Parameter[],
  positional: readonly string[],
): Input {
  const named = argumentsAmong(parameters, positional)
  const typed = named.map(({ member }, index) => [member, command.args[index]])
  const options = parameters
    .filter(({ member, form }) => form !== 'secret' && !positional.includes(member))
    .map((parameter) => [parameter.member, command.getOptionValue(attributeOf(parameter))])
  return Object.fromEntries([...typed, ...options].filter(([, value]) => value !== undefined))
}

/** Reads the input as the hub will, so that a mistake is told in the words of the command. */
export function checkInput(
  verb: Verb,
  input: Input,
  called: (member: string) => string | undefined,
): void {
  const read = readInput(verb.input, input)
  if (!isRefusal(read)) return
  const { detail, path = '' } = read
  const member = path.split(/[.[]/)[0] ?? ''
  const name = called(member)
  if (name === undefined) throw wrongUsage(detail)
  const value = name === pipedName ? 'what it has' : quoteGiven(input[member])
  throw wrongUsage(`${name}: ${value} ${detail.slice(path.length + 1)}`)
}

/** How the command calls a member of the input: `<account>` or `--default-branch`. */
export function namesOf({ positional }: Verb, parameters: readonly Parameter[]) {
  return (member: string): string | undefined => {
    if (positional.includes(member)) return `<${member}>`
    const parameter = parameters.find((one) => one.member === member)
    if (parameter?.form === 'secret') return pipedName
    return parameter === undefined ? undefined : flagFor(parameter)
  }
}

function argumentsAmong(
  parameters: readonly Parameter[],
  positional: readonly string[],
): Parameter[] {
  return positional.flatMap((member) => parameters.filter((one) => one.member === member))
}

function flagsFor(parameter: Parameter): Flag[] {
  const flag = flagFor(parameter)
  const about = describe(parameter)
  const valued = new Flag(`${flag} <${placeholderOf(parameter)}>`, about)
  switch (parameter.form) {
    case 'secret':
      return []
    case 'switch':
      return [new Flag(flag, about), turnedOff(flag, parameter)]
    case 'text':
      return [valued.makeOptionMandatory(parameter.required)]
    case 'texts':
      return [valued.argParser(collect((text) => text))]
    case 'grants':
      return [valued.argParser(collect(parseGrant))]
  }
}

/** Shown where leaving the switch out leaves the thing as it is; elsewhere it is the default. */
function turnedOff(flag: string, { standard }: Parameter): Flag {
  const off = new Flag(flag.replace('--', '--no-'), `The opposite of ${flag}.`)
  return off.hideHelp(standard !== undefined)
}

const maxPlaceholderLength = 48

function placeholderOf({ form, choices }: Parameter): string {
  if (form === 'grants') return grantForm
  const words = choices?.join('|') ?? 'text'
  return words.length > maxPlaceholderLength ? 'word' : words
}

function describe({ form, about, choices, standard }: Parameter): string {
  const allowed = choices !== undefined && choices.join('|').length > maxPlaceholderLength
  return [
    about,
    ...(allowed ? [`One of ${choices.join(', ')}.`] : []),
    ...(form === 'grants' || form === 'texts' ? ['May be given more than once.'] : []),
    ...(standard === undefined || Array.isArray(standard)
      ? []
      : [`Default: ${describeDefault(standard)}.`]),
  ].join(' ')
}

function describeDefault(standard: unknown): string {
  return typeof standard === 'boolean' ? (standard ? 'on' : 'off') : String(standard)
}

/** Given once for every entry of the list. */
function collect(parse: (text: string) => unknown) {
  return (text: string, before: unknown): unknown[] => [
    ...(Array.isArray(before) ? before : []),
    parse(text),
  ]
}

function attributeOf(parameter: Parameter): string {
  return new Flag(flagFor(parameter)).attributeName()
}
