import { interpreted, type Verb } from '@latchkey/admin-api'
import { readAtMost } from '@latchkey/service/http/bodies'
import { z } from 'zod'
import { wrongUsage } from '../output/stop.ts'

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

export function parametersOf({ input }: Pick<Verb, 'input'>): Parameter[] {
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

/** `defaultBranch` is `--default-branch`; a list is given one by one, so `grants` is `--grant`. */
export function flagFor({ member, form }: Parameter): string {
  const words = member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const isList = form === 'texts' || form === 'grants'
  return `--${isList ? words.replace(/s$/, '') : words}`
}

/** Longer than any token. */
const maxBytes = 64 * 1024

/** How messages call it. What was given there is never repeated. */
export const pipedName = 'standard input'

/** The member of the input that holds it; nothing where the verb takes no secret. */
export async function readPipedSecret(
  parameters: readonly Parameter[],
): Promise<Readonly<Record<string, string>>> {
  const secret = parameters.find(({ form }) => form === 'secret')
  if (secret === undefined) return {}
  const { member } = secret
  if (process.stdin.isTTY) {
    throw wrongUsage(
      `the ${member} is read from ${pipedName}, to keep it out of shell histories and process lists: pipe it in, as the example of --help shows`,
    )
  }
  const bytes = await readAtMost(process.stdin, maxBytes)
  const text = bytes?.toString() ?? ''
  if (bytes?.length === 0) throw wrongUsage(`${pipedName} is empty: pipe the ${member} in`)
  return { [member]: text.replace(/\r?\n$/, '') }
}
