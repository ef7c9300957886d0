/** The commands as a shell completes them: at each place, the words that may come next. */

import type { Argument, Command, Option } from 'commander'

export interface CompletionPlace {
  /** `hub-token create`; empty for `latchkey` itself. */
  readonly path: string
  readonly commands: readonly Word[]
  readonly flags: readonly FlagWord[]
  /** The possible values, argument by argument. */
  readonly positions: readonly Value[]
}

export interface Word {
  readonly name: string
  readonly about: string
}

export interface FlagWord {
  /** `-o` and `--output`. */
  readonly names: readonly string[]
  readonly about: string
  /** Undefined for a switch. */
  readonly value: Value | undefined
}

export type KnownValue = 'file' | readonly string[]

export type Value = KnownValue | 'anything'

/** Commands that have others below them have no flags with values: the scripts rely on it. */
export function placesOf(command: Command, path = ''): CompletionPlace[] {
  const { commands, options, registeredArguments } = command
  const here: CompletionPlace = {
    path,
    commands: commands.map((child) => ({ name: child.name(), about: aboutCommand(child) })),
    flags: [...options.filter(({ hidden }) => !hidden).map(flagWord), help],
    positions: registeredArguments.map(valueOfArgument),
  }
  const below = commands.flatMap((child) => placesOf(child, `${path} ${child.name()}`.trim()))
  return [here, ...below]
}

const help: FlagWord = {
  names: ['-h', '--help'],
  about: 'show help for this command',
  value: undefined,
}

function flagWord({ short, long, description, flags, required }: Option): FlagWord {
  const [, placeholder = ''] = /<([^>]+)>/.exec(flags) ?? []
  return {
    names: [short, long].filter((name) => name !== undefined),
    about: beginningOf(description),
    value: required ? valueCalled(placeholder) : undefined,
  }
}

function valueOfArgument(argument: Argument): Value {
  return argument.argChoices ?? valueCalled(argument.name())
}

/** `<debug|info|warn>` names all there is. */
function valueCalled(placeholder: string): Value {
  if (/^[\w-]+(\|[\w-]+)+$/.test(placeholder)) return placeholder.split('|')
  return placeholder === 'file' || placeholder === 'directory' ? 'file' : 'anything'
}

function aboutCommand(command: Command): string {
  return beginningOf(command.summary() || command.description())
}

/** There is room for little beside a word. */
function beginningOf(text: string): string {
  return text.split(/[.;](?:\s|$)/, 1)[0] ?? ''
}

/** Values that a shell can offer: after a flag (`fetch --scope`), or as an argument (`token 0`). */
export function knownValues(places: readonly CompletionPlace[]): [at: string, value: KnownValue][] {
  const values = places.flatMap(({ path, flags, positions }) => [
    ...flags.flatMap(({ names, value }) => names.map((name) => ({ at: `${path} ${name}`, value }))),
    ...positions.map((value, index) => ({ at: `${path} ${index}`, value })),
  ])
  return values.flatMap(({ at, value }) =>
    value === undefined || value === 'anything' ? [] : [[at, value]],
  )
}
