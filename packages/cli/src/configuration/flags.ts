import { quoteGiven, typedWord } from '@latchkey/service/text'
import { type Command, Option as Flag } from 'commander'
import { wrongUsage } from '../output/stop.ts'
import type { Kind } from './kind.ts'
import { attributeOf, flagOf, type Option, type Taker, variableOf } from './option.ts'
import { configOption, optionKeys, rowOf } from './options.ts'
import type { Flags } from './read-configuration.ts'

export function addConfigurationFlags(command: Command, taker: Taker): Command {
  const { flag, variable, placeholder, summary } = configOption
  const config = new Flag(`${flag} <${placeholder}>`, `${summary} [${variable}]`)
  const group = taker === 'client' ? 'Hub:' : 'Data:'
  return addOptionFlags(command.addOption(config.helpGroup(group)), taker)
}

/** `group` is where `--help` shows them, if not with their own kind. */
export function addOptionFlags(command: Command, taker: Taker, group?: string): Command {
  for (const key of optionKeys) {
    const row = rowOf(key)
    if (!row.takers.includes(taker) || row.secret) continue
    for (const option of flagsFor(key, row, taker)) {
      command.addOption(option.helpGroup(`${group ?? row.group}:`))
    }
  }
  return command
}

/** A switch can be turned off too, against a variable or the file; `--help` shows one of the two. */
function flagsFor(key: string, row: Option<unknown>, taker: Taker): Flag[] {
  const flag = flagOf(key)
  const required = row.required?.[taker]
  const about =
    required === undefined
      ? `${row.summary} ${describeDefault(row)} [${variableOf(key)}]`
      : `${row.summary} [${variableOf(key)}] (${required})`
  const { placeholder } = row.kind
  if (placeholder === undefined) {
    return [new Flag(flag, about), new Flag(flag.replace('--', '--no-')).hideHelp()]
  }
  return [new Flag(`${flag} <${placeholder}>`, about)]
}

function describeDefault({ default: standard, defaultText, kind }: Option<unknown>): string {
  if (kind.placeholder === undefined)
    return `Default: ${defaultText ?? (standard === true ? 'on' : 'off')}.`
  return `Default: ${defaultText ?? standard}.`
}

export function numberFlag(flag: string, { fromText, read, allowed }: Kind<number>) {
  return (flagValue: string): number => {
    const value = read(fromText(flagValue))
    if (value !== undefined) return value
    throw wrongUsage(`${flag}: ${quoteGiven(flagValue)} is not allowed; give ${allowed}`)
  }
}

/** The flags that were given, as a shell takes them. */
export function placeFlags(flags: Flags): readonly string[] {
  const names = [
    { flag: configOption.flag, value: flags['config'] },
    ...placeKeys.map((key) => ({ flag: flagOf(key), value: flags[attributeOf(key)] })),
  ]
  return names.flatMap(({ flag, value }) => {
    if (typeof value === 'string') return [flag, typedWord(value)]
    if (typeof value !== 'boolean') return []
    return [value ? flag : flag.replace('--', '--no-')]
  })
}

/** How a client finds its hub, and a management command its data or its hub. */
const placeKeys = optionKeys.filter((key) => {
  const { takers, secret } = rowOf(key)
  return !secret && (takers.includes('client') || takers.includes('manage'))
})
