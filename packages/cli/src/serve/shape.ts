/** Whether a message has the members that it must have, and no others. */

export type Check = (value: unknown) => boolean

export const isText: Check = (value) => typeof value === 'string'

export const isUrl: Check = (value) => typeof value === 'string' && URL.canParse(value)

export const isBoolean: Check = (value) => typeof value === 'boolean'

export const isNumber: Check = (value) => typeof value === 'number' && !Number.isNaN(value)

export function oneOf(...words: readonly string[]): Check {
  return (value) => words.some((word) => word === value)
}

export function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check)
}

export function orNothing(check: Check): Check {
  return (value) => value === undefined || check(value)
}

/** The names are those of the type, so that a member which is added there is checked here. */
export type Members<Value> = { readonly [Name in keyof Required<Value>]: Check }

export function shapeOf<Value>(members: Members<Value>): (value: unknown) => value is Value {
  const checks = Object.entries<Check>(members)
  return (value): value is Value => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    const given: Readonly<Record<string, unknown>> = { ...value }
    return (
      checks.every(([name, check]) => check(given[name])) &&
      Object.keys(given).every((name) => Object.hasOwn(members, name))
    )
  }
}
