/** What YAML says, as JSON can hold it. */

import { quoted } from '../names/quoted.ts'
import type { YamlLines } from './yaml-lines.ts'
import type { Scalar } from './yaml-scalar.ts'

export type Yaml = Scalar | readonly Yaml[] | { readonly [member: string]: Yaml }

const longestKey = 1024

export function putMember(
  lines: YamlLines,
  members: Map<string, Yaml>,
  key: Yaml,
  value: Yaml,
): void {
  if (typeof key === 'object' && key !== null) lines.fail('has a list or a mapping for a key')
  const name = String(key)
  if (name.length > longestKey) lines.fail(`has a key of more than ${longestKey} characters`)
  if (members.has(name)) lines.fail(`has the key ${quoted(name)} a second time`)
  members.set(name, value)
}

// biome-ignore format: a table is read by its columns
const refused: readonly (readonly [RegExp, string])[] = [
  [/^&/,         'has an anchor, which is not supported. Write the value out'],
  [/^\*/,        'has an alias, which is not supported. Write the value out, or put it in quotes'],
  [/^!/,         'has a tag, which is not supported. Put a text in quotes'],
  [/^\?(?: |$)/, 'has a key that begins with "? ", which is not supported'],
  [/^[%@`|>,\]}]/, 'begins with a character that has a meaning of its own. Put the text in quotes'],
]

/** A plain text cannot begin with what has a meaning of its own. */
export function refuseIndicator(lines: YamlLines, text: string): void {
  const flaw = refused.find(([pattern]) => pattern.test(text))?.[1]
  if (flaw !== undefined) lines.fail(flaw)
}
