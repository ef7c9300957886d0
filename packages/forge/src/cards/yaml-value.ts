/** What YAML says, as JSON can hold it. */

import { isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml'
import { quoted } from '../names/quoted.ts'
import { flawAt } from './yaml-flaw.ts'

export type Scalar = string | number | boolean | null

export type Yaml = Scalar | readonly Yaml[] | { readonly [member: string]: Yaml }

const longestKey = 1024
const mostValues = 50_000

/** The text is that which the node was read from. */
export function toJson(text: string, node: unknown): Yaml {
  let values = 0
  return read(node)

  function read(from: unknown): Yaml {
    values += 1
    if (values > mostValues) fail(from, `comes after more than ${mostValues} values`)
    if (isMap(from)) return membersOf(from)
    if (isSeq(from)) return from.items.map(read)
    return isScalar(from) ? plainOf(from.value, from.source) : null
  }

  function membersOf(map: YAMLMap): Yaml {
    // A Map first: `__proto__` is a key like others, and a key is found again in constant time.
    const members = new Map<string, Yaml>()
    for (const { key, value } of map.items) {
      const name = nameOf(key)
      if (members.has(name)) fail(key, `has the key ${quoted(name)} a second time`)
      members.set(name, read(value))
    }
    return Object.fromEntries(members)
  }

  function nameOf(key: unknown): string {
    if (!isScalar(key) || typeof key.value !== 'string') {
      return fail(key, 'has a list or a mapping for a key')
    }
    if (key.value === '' && key.type === 'PLAIN') fail(key, 'has no key before its colon')
    if (key.value.length > longestKey) {
      fail(key, `has a key of more than ${longestKey} characters`)
    }
    return key.value
  }

  function fail(at: unknown, flaw: string): never {
    throw flawAt(text, (at as Node | null)?.range?.[0] ?? text.length, flaw)
  }
}

/** A number that JSON cannot hold exactly stays a text. */
function plainOf(value: unknown, source: string | undefined): Scalar {
  if (typeof value !== 'number') return value as Scalar
  const isHeld = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value)
  return isHeld ? value : (source ?? null)
}
