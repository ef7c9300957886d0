/** The members of an operation's input, for commands and forms that are made from its declaration. */

import { z } from 'zod'
import { interpreted } from './read-input.ts'

export interface Parameter {
  /** The member of the input. */
  readonly member: string
  /** A secret has neither flag nor argument. */
  readonly form: 'switch' | 'text' | 'texts' | 'grants' | 'secret'
  readonly required: boolean
  readonly about: string
  readonly choices: readonly string[] | undefined
  readonly standard: unknown
}

/** The part of JSON Schema that our inputs use. */
const memberSchema = z.object({
  type: z.string().optional(),
  description: z.string().default(''),
  enum: z.array(z.string()).optional(),
  default: z.unknown().optional(),
  writeOnly: z.boolean().optional(),
  items: z.object({ type: z.string().optional(), enum: z.array(z.string()).optional() }).optional(),
})

const inputSchema = z.object({
  properties: z.record(z.string(), memberSchema).default({}),
  required: z.array(z.string()).default([]),
})

export function parametersOf({ input }: { readonly input: z.ZodObject }): Parameter[] {
  const json = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
  const { properties, required } = inputSchema.parse(json, interpreted)
  return Object.entries(properties).map(([member, schema]) => ({
    member,
    form: formOf(schema),
    required: required.includes(member),
    about: schema.description,
    choices: schema.enum ?? schema.items?.enum,
    standard: schema.default,
  }))
}

function formOf({ type, items, writeOnly }: z.output<typeof memberSchema>): Parameter['form'] {
  if (writeOnly === true) return 'secret'
  if (type === 'boolean') return 'switch'
  if (type !== 'array') return 'text'
  return items?.type === 'object' ? 'grants' : 'texts'
}
