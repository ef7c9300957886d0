/** Compares the options of a call with those that it takes: a mistyped name must not silently change what the call does. */

/** The result of `typeof` for the values of an option; `|` separates several, `any` is for values checked elsewhere. A group has a table of its own. */
export type OptionType = string | { readonly [name: string]: OptionType }

/** The names of all options, each with its type. */
export type OptionTypes<Options> = {
  readonly [Name in keyof Options]-?: string | GroupTypes<NonNullable<Options[Name]>>
}

type GroupTypes<Group> = Group extends readonly unknown[] | ((...args: never[]) => unknown)
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
  options: unknown,
  types: Readonly<Record<string, OptionType>>,
  otherNames: OtherNames = {},
): string | undefined {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    return `${of} takes its options as an object, and got ${kindOf(options)}. Its options are ${Object.keys(types).join(', ')}.`
  }
  const names = Object.keys(types)
  for (const [name, value] of Object.entries(options)) {
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
  const expected = typeof type === 'string' ? type : 'object'
  const isRight =
    type === 'any' || (expected === type && expected.split('|').includes(typeof value))
  if (isRight) return undefined
  return `${of} must be ${expected.replaceAll('|', ' or ')}, and is ${kindOf(value)}.`
}

/** Throws the sentence of `optionFault`, if there is one. */
export function refuseOptions(
  of: string,
  options: unknown,
  types: Readonly<Record<string, OptionType>>,
  Failure: new (message: string) => Error = TypeError,
): void {
  const fault = optionFault(of, options, types)
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

/** Undefined when nothing is close enough to be worth suggesting. A word that another one contains is close: `token`, `hubToken`. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((candidate) => ({ candidate, distance: distanceOf(word, candidate) }))
    .sort((one, other) => one.distance - other.distance)
  if (best !== undefined && best.distance <= Math.max(2, word.length / 4)) return best.candidate
  const lower = word.toLowerCase()
  const contains = (one: string, other: string) => other.length > 2 && one.includes(other)
  return words.find((candidate) => {
    const name = candidate.toLowerCase()
    return contains(name, lower) || contains(lower, name)
  })
}

/** ` Did you mean …?`, or nothing. */
export function didYouMean(word: string, words: readonly string[]): string {
  const meant = nearest(word, words)
  return meant === undefined ? '' : ` Did you mean ${meant}?`
}

/** How many letters have to change; upper and lower case are the same. */
function distanceOf(one: string, other: string): number {
  const [from, to] = [one.toLowerCase(), other.toLowerCase()]
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = at(row, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(at(row, j) + 1, at(next, j - 1) + 1, replaced))
    }
    row = next
  }
  return at(row, to.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}
