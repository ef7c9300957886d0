/** Reads an input by its schema, part by part: no input holds the event loop for longer than a part takes. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import { z } from 'zod'
import { type InputPath, mistake, readAt } from './read-input.ts'
import type { Pause } from './read-json.ts'

/** The members of an object that is no table. Ours have a dozen; a schema looks at all of them in one step. */
const maxMembers = 100

export function readInputInParts<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  pause: Pause,
): Promise<z.output<Schema> | Refusal> {
  return readPart({ schema, value, path: [] }, pause) as Promise<z.output<Schema> | Refusal>
}

interface Part<Schema = z.core.$ZodType> {
  readonly schema: Schema
  readonly value: unknown
  readonly path: InputPath
}

/** The first mistake ends it. */
async function readPart(
  { schema: outerSchema, value, path }: Part,
  pause: Pause,
): Promise<unknown> {
  const pausing = pause()
  if (pausing !== undefined) await pausing
  const schema = contentOf(outerSchema)
  if (Array.isArray(value)) {
    const maximum = maxItems(schema)
    if (value.length > maximum) {
      return mistake(path, `must be at most ${maximum} entries long`)
    }
    if (isList(schema)) return readList({ schema, value, path }, pause)
  } else if (isObject(value)) {
    if (isTable(schema)) return readTable({ schema, value, path }, pause)
    if (Object.keys(value).length > maxMembers) {
      return mistake(path, `has more than ${maxMembers} members: remove those that are not known`)
    }
    if (schema instanceof z.ZodObject && !hasChecks(schema)) {
      return readObject({ schema, value, path }, pause)
    }
  }
  return readAt(outerSchema as z.ZodType, value, path)
}

async function readList(
  { schema, value, path }: Part<z.ZodArray> & { readonly value: readonly unknown[] },
  pause: Pause,
): Promise<unknown> {
  const items: unknown[] = []
  for (const [index, item] of value.entries()) {
    const part = { schema: schema.element, value: item, path: [...path, index] }
    const read = await readPart(part, pause)
    if (isRefusal(read)) return read
    items.push(read)
  }
  return items
}

async function readTable(
  { schema, value, path }: Part<z.ZodRecord> & { readonly value: object },
  pause: Pause,
): Promise<unknown> {
  const members: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value)) {
    const here = [...path, key]
    const name = readAt(schema.keyType as z.ZodType, key, here)
    if (isRefusal(name)) return name
    const read = await readPart({ schema: schema.valueType, value: member, path: here }, pause)
    if (isRefusal(read)) return read
    members[String(name)] = read
  }
  return members
}

/** Its lists and tables one by one, and everything else together. */
async function readObject(
  { schema, value, path }: Part<z.ZodObject> & { readonly value: object },
  pause: Pause,
): Promise<unknown> {
  const isApart = ([member, content]: [string, unknown]) => {
    const own = Object.hasOwn(schema.shape, member) ? schema.shape[member] : undefined
    return own !== undefined && isObject(content) && isOpen(contentOf(own))
  }
  const apart = Object.entries(value).filter(isApart)
  const stands = Object.fromEntries(apart.map(([member, content]) => [member, emptyOf(content)]))
  const read = readAt(schema, { ...value, ...stands }, path)
  if (isRefusal(read)) return read
  const members: Record<string, unknown> = read
  for (const [member, content] of apart) {
    const own = schema.shape[member]
    if (own === undefined) continue
    const part = await readPart({ schema: own, value: content, path: [...path, member] }, pause)
    if (isRefusal(part)) return part
    members[member] = part
  }
  return members
}

function isOpen(schema: z.core.$ZodType): boolean {
  return isList(schema) || isTable(schema)
}

/** An empty value of the same kind: the schema still sees that an object is no list. */
function emptyOf(content: unknown): object {
  return Array.isArray(content) ? [] : {}
}

function contentOf(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodOptional ? contentOf(schema.unwrap()) : schema
}

/** The length was looked at already; an item may be long itself. */
function isList(schema: z.core.$ZodType): schema is z.ZodArray {
  if (!(schema instanceof z.ZodArray)) return false
  return (schema.def.checks ?? []).every((check) => check._zod.def.check === 'max_length')
}

function maxItems(schema: z.core.$ZodType): number {
  const bounds = (schema._zod.def.checks ?? []).flatMap(({ _zod: { def } }) =>
    def.check === 'max_length' ? [Number(Object(def).maximum)] : [],
  )
  return Math.min(...bounds, Number.POSITIVE_INFINITY)
}

function isTable(schema: z.core.$ZodType): schema is z.ZodRecord {
  return schema instanceof z.ZodRecord && !hasChecks(schema)
}

function hasChecks(schema: z.ZodType): boolean {
  return (schema.def.checks ?? []).length > 0
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
