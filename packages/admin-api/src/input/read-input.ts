/** Reads an input by its schema; the first mistake becomes a refusal that says where it is. */

import { type Refusal, refuse } from '@latchkey/protocol'
import type { z } from 'zod'
import { looksSecret } from './secret-shape.ts'

type Issue = z.core.$ZodIssue
export type InputPath = readonly PropertyKey[]

/** By default zod compiles a function for every schema at its first use, for about a millisecond each. */
export const interpreted = { jitless: true } as const

export function readInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> | Refusal {
  return readAt(schema, value, [])
}

/** As part of an input, at this place. */
export function readAt<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: InputPath,
): z.output<Schema> | Refusal {
  const read = schema.safeParse(value, interpreted)
  if (read.success) return read.data
  const issue = read.error.issues[0]
  return issue === undefined ? mistake(path, 'is not understood') : refusalOf(issue, path)
}

/** `what` completes a sentence that begins with the place: "must be …". */
export function mistake(path: InputPath, what: string): Refusal {
  const where = formatInputPath(path)
  return refuse('bad_request', `${where === '' ? 'The input' : where} ${what}.`, {
    ...(where === '' ? {} : { path: where }),
  })
}

/** `repositories[2].branches.main`, and `tags["v1.0"]` where a dot would mislead. */
export function formatInputPath(path: InputPath): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    const key = looksSecret(String(part)) ? '[token]' : String(part)
    if (!/^[A-Za-z_][\w-]*$/.test(key)) return `${text}[${JSON.stringify(key)}]`
    return text === '' ? key : `${text}.${key}`
  }, '')
}

function refusalOf(issue: Issue, before: InputPath): Refusal {
  const path = [...before, ...issue.path]
  switch (issue.code) {
    case 'unrecognized_keys':
      return mistake([...path, ...issue.keys.slice(0, 1)], 'is not known: remove it or correct it')
    case 'invalid_union':
      return refusalOf(nearest(issue.errors) ?? { ...issue, code: 'custom', path: [] }, path)
    case 'invalid_key':
    case 'invalid_element':
      return refusalOf(issue.issues[0] ?? { ...issue, code: 'custom', path: [] }, path)
    default:
      return mistake(path, expectation(issue))
  }
}

/** The branch of a union whose mistake lies deepest: the writer meant that one. */
function nearest(branches: readonly (readonly Issue[])[]): Issue | undefined {
  const firsts = branches.flatMap((issues) => issues.slice(0, 1))
  return (
    firsts.find(({ path, code }) => path.length > 0 || code !== 'invalid_type') ?? firsts.at(-1)
  )
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'nonoptional' || issue.message.endsWith('received undefined')
        ? 'is missing'
        : `must be ${kindOf(issue.expected)}`
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
      return `must be at least ${issue.minimum}${unitOf(issue.origin)}`
    case 'too_big':
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`
    case 'custom':
      return issue.message === '' ? 'is not understood' : issue.message
    default:
      return issue.message
  }
}

function kindOf(expected: string): string {
  switch (expected) {
    case 'object':
    case 'record':
      return 'an object'
    case 'array':
      return 'a list'
    case 'int':
      return 'a whole number'
    case 'boolean':
      return 'true or false'
    default:
      return `a ${expected}`
  }
}

function unitOf(origin: string): string {
  if (origin === 'array') return ' entries long'
  return origin === 'string' ? ' characters long' : ''
}
