/** Brings flags, environment, file and defaults together: the first that names an option decides it. */

import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { readJson } from '@latchkey/admin-api/read-json'
import { didYouMean, isRefusal } from '@latchkey/protocol'
import { escapeText, quoteGiven } from '@latchkey/service/text'
import { unavailable, wrongUsage } from '../output/stop.ts'
import { isObject } from '../reading/members-of.ts'
import { type AwsSources, awsSources, awsValues } from './aws-variables.ts'
import { type GivenValue, notAllowed, refusedAsFlag } from './given.ts'
import { attributeOf, flagOf } from './option.ts'
import { configOption, type OptionKey, optionKeys, rowOf, type Values } from './options.ts'
import { type Environment, readEnvironment } from './read-environment.ts'

/** Flags as the command parser hands them over, by their camel-case names. */
export type Flags = Readonly<Record<string, unknown>>

export interface Configuration extends AwsSources {
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
  const ownValues = new Map([...fromFile, ...fromEnvironment, ...readFlags(flags)])
  const allValues = ownValues.has('objects')
    ? new Map([...awsValues(environment), ...ownValues])
    : ownValues
  const values = Object.fromEntries(
    optionKeys.map((key) => [key, checkedValue(key, allValues.get(key))]),
  )
  const called = new Map(Array.from(allValues, ([key, { called }]) => [key, called]))
  const warnings = Array.from(allValues.values(), ({ warning }) => warning ?? []).flat()
  const ofAws = ownValues.has('objects') ? awsSources(environment) : { awsVariables: {} }
  return { values: values as Values, called, warnings, ...ofAws }
}

function readFlags(flags: Flags): Map<OptionKey, GivenValue> {
  const values = new Map<OptionKey, GivenValue>()
  for (const key of optionKeys) {
    const value = flags[attributeOf(key)]
    if (value === undefined || rowOf(key).secret) continue
    const called = value === false ? flagOf(key).replace('--', '--no-') : flagOf(key)
    const { secretWays, holdsSecret } = rowOf(key).kind
    if (holdsSecret?.(value)) throw refusedAsFlag(called, secretWays ?? '')
    const read = typeof value === 'string' ? rowOf(key).kind.fromText(value) : value
    values.set(key, { called, value: read, written: value })
  }
  return values
}

function checkedValue(key: OptionKey, entry: GivenValue | undefined): unknown {
  const { kind, default: standard, secret: isSecret } = rowOf(key)
  if (entry === undefined) return standard
  const value = kind.read(entry.value)
  const secret = isSecret ?? kind.holdsSecret?.(entry.value)
  if (value === undefined) throw notAllowed({ ...entry, allowed: kind.allowed, secret })
  return value
}

const sections = new Set(optionKeys.flatMap((key) => (key.includes('.') ? key.split('.')[0] : [])))

function readConfigurationFile(file: string): Map<OptionKey, GivenValue> {
  const { text, ownerOnly } = readWithMode(file)
  const values = new Map<OptionKey, GivenValue>()
  for (const [key, value] of entriesOf(parseJson(text, file), file)) {
    if (!isOptionKey(key)) {
      throw wrongUsage(`${nameIn(file, key)} is not an option.${didYouMean(key, optionKeys)}`)
    }
    const { secret, kind } = rowOf(key)
    if ((secret || kind.holdsSecret?.(value)) && !ownerOnly) {
      throw wrongUsage(
        `${nameIn(file, key)} ${secret ? 'is' : 'holds'} a secret, but others can read the file; chmod 600 it, or use the environment`,
      )
    }
    values.set(key, { called: nameIn(file, key), value, written: value })
  }
  return values
}

function readWithMode(file: string): { text: string; ownerOnly: boolean } {
  try {
    const descriptor = openSync(file, 'r')
    try {
      const ownerOnly = (fstatSync(descriptor).mode & 0o077) === 0
      return { text: readFileSync(descriptor, 'utf8'), ownerOnly }
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unreadable'
    throw unavailable(`the configuration file ${quoteGiven(file)} cannot be read (${code})`)
  }
}

/** The mistake is told by its place; the text around it is not repeated, which may hold a secret. */
function parseJson(text: string, file: string): object {
  const read = readJson(text)
  if (isRefusal(read)) {
    throw wrongUsage(`the configuration file ${quoteGiven(file)} is not valid. ${read.detail}`)
  }
  if (isObject(read)) return read
  throw wrongUsage(`the configuration file ${quoteGiven(file)} is not a JSON object`)
}

function entriesOf(json: object, file: string): (readonly [string, unknown])[] {
  return Object.entries(json).flatMap(([key, value]: [string, unknown]) => {
    // `storage` is a switch as well as a section.
    if (!sections.has(key) || (isOptionKey(key) && !isObject(value))) return [[key, value] as const]
    if (!isObject(value)) throw wrongUsage(`${nameIn(file, key)} must be an object`)
    return Object.entries(value).map(([inner, item]) => [`${key}.${inner}`, item] as const)
  })
}

function isOptionKey(key: string): key is OptionKey {
  return optionKeys.some((optionKey) => optionKey === key)
}

function nameIn(file: string, key: string): string {
  return `${escapeText(key)} in ${escapeText(file)}`
}
