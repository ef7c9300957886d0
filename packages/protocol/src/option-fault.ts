/** Compares the options of a call with those that it takes: a mistyped name must not silently change what the call does. */

import { nearest } from './nearest.ts'

/** The result of `typeof` for the values of an option; `|` separates several, `any` is for values checked elsewhere. A group has a table of its own. */
export type OptionType = string | { readonly [name: string]: OptionType }

/** The names of all options, each with its type. */
export type OptionTypes<Options> = {
  readonly [Name in keyof Options]-?: string | GroupTypes<NonNullable<Options[Name]>>
}

type GroupTypes<Group> = Group extends readonly unknown[] | ((...given: never[]) => unknown)
  ? never
  : Group extends object
    ? OptionTypes<Group>
    : never

/** Names that other libraries use, each with ours. */
export type OtherNames = Readonly<Record<string, string>>

/**
 * A sentence about the first option that the call does not take, or takes with another type; undefined when all are right.
 * `of` names the call, as in `createGate`. No value is repeated: it may be a secret in the wrong place.
 */
export function optionFault(
  of: string,
  given: unknown,
  types: Readonly<Record<string, OptionType>>,
  otherNames: OtherNames = {},
): string | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return `${of} takes its options as an object, and got ${kindOf(given)}. Its options are ${Object.keys(types).join(', ')}.`
  }
  const names = Object.keys(types)
  for (const [name, value] of Object.entries(given)) {
    if (!names.includes(name)) {
      const [, other] = Object.entries(otherNames).find(([one]) => one === name) ?? []
      const meant = other ?? nearest(name, names)
      const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
      return `${name} is no option of ${of}.${hint} Its options are ${names.join(', ')}.`
    }
    const fault =
      value === undefined ? undefined : valueFault(`${name} of ${of}`, value, types[name])
    if (fault !== undefined) return fault
  }
  return undefined
}

function valueFault(of: string, value: unknown, type: OptionType = 'any'): string | undefined {
  const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (typeof type !== 'string' && isGroup) return optionFault(of, value, type)
  const wanted = typeof type === 'string' ? type : 'object'
  const isRight = type === 'any' || (wanted === type && wanted.split('|').includes(typeof value))
  if (isRight) return undefined
  return `${of} must be ${wanted.replaceAll('|', ' or ')}, and is ${kindOf(value)}.`
}

/** Throws the sentence of `optionFault`, if there is one. */
export function refuseOptions(
  of: string,
  given: unknown,
  types: Readonly<Record<string, OptionType>>,
  Failure: new (message: string) => Error = TypeError,
): void {
  const fault = optionFault(of, given, types)
  if (fault !== undefined) throw new Failure(fault)
}

/** How a sentence names the type of a value. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  const type = typeof value
  if (type === 'undefined') return type
  const { name } = Object(value).constructor ?? {}
  if (
    type === 'object' &&
    typeof name === 'string' &&
    /^[A-Z]\w{0,40}$/.test(name) &&
    name !== 'Object'
  ) {
    return `a ${name}`
  }
  return type === 'object' ? 'an object' : `a ${type}`
}
