/** Brings flags, environment, file and defaults together: the first that names an option decides it. */

import { type Given, notAllowed, refusedAsFlag } from './given.ts'
import { attributeOf, flagOf } from './option.ts'
import { configOption, type OptionKey, optionKeys, rowOf, type Values } from './options.ts'
import { type Environment, readEnvironment } from './read-environment.ts'
import { readConfigurationFile } from './read-file.ts'

/** Flags as the command parser hands them over, by their camel-case names. */
export type Flags = Readonly<Record<string, unknown>>

export interface Configuration {
  readonly values: Values
  /** The names under which somebody decided an option; those left to their default are not here. */
  readonly called: ReadonlyMap<OptionKey, string>
  /** About how options were given. */
  readonly warnings: readonly string[]
}

export function readConfiguration(flags: Flags, environment: Environment): Configuration {
  const fromEnvironment = readEnvironment(environment)
  const file = flags['config'] ?? (environment[configOption.variable] || undefined)
  const fromFile = typeof file === 'string' ? readConfigurationFile(file) : []
  const given = new Map([...fromFile, ...fromEnvironment, ...readFlags(flags)])
  const values = Object.fromEntries(
    optionKeys.map((key) => [key, checkedValue(key, given.get(key))]),
  )
  const called = new Map(Array.from(given, ([key, { called }]) => [key, called]))
  const warnings = Array.from(given.values(), ({ warning }) => warning ?? []).flat()
  return { values: values as Values, called, warnings }
}

function readFlags(flags: Flags): Map<OptionKey, Given> {
  const given = new Map<OptionKey, Given>()
  for (const key of optionKeys) {
    const value = flags[attributeOf(key)]
    if (value === undefined || rowOf(key).secret) continue
    const called = value === false ? flagOf(key).replace('--', '--no-') : flagOf(key)
    const { secretWays, holdsSecret } = rowOf(key).kind
    if (holdsSecret?.(value)) throw refusedAsFlag(called, secretWays ?? '')
    const read = typeof value === 'string' ? rowOf(key).kind.fromText(value) : value
    given.set(key, { called, value: read, written: value })
  }
  return given
}

function checkedValue(key: OptionKey, given: Given | undefined): unknown {
  const { kind, default: standard, secret: isSecret } = rowOf(key)
  if (given === undefined) return standard
  const value = kind.read(given.value)
  const secret = isSecret ?? kind.holdsSecret?.(given.value)
  if (value === undefined) throw notAllowed({ ...given, allowed: kind.allowed, secret })
  return value
}
