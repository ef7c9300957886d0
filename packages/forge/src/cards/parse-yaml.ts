/**
 * The part of YAML that metadata is written in: mappings, lists and texts in all their forms. Anchors, aliases, tags and
 * several documents are refused, so that no text means more than it is long.
 */

import { Composer } from 'yaml'
import { flawAt, sentenceOf, YamlFlaw } from './yaml-flaw.ts'
import { readTokens } from './yaml-tokens.ts'
import { toJson, type Yaml } from './yaml-value.ts'

const longestYaml = 1024 * 1024
const mostLines = 100_000

/** The core schema of YAML 1.2, in which `no` is a text. A key is the text that it is written as. */
const options = {
  version: '1.2',
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  // The library compares every key with every other one; `toJson` looks them up.
  uniqueKeys: false,
} as const

/** The text has line feeds alone for line ends. */
export function parseYaml(text: string): { readonly value: Yaml } | YamlFlaw {
  if (text.length > longestYaml) {
    return new YamlFlaw(1, `begins metadata of more than ${longestYaml} characters`)
  }
  const lines = text.split('\n').length
  if (lines > mostLines) return new YamlFlaw(lines, `comes after more than ${mostLines} lines`)
  try {
    return { value: readDocument(text) }
  } catch (error) {
    if (error instanceof YamlFlaw) return error
    throw error
  }
}

function readDocument(text: string): Yaml {
  for (const { errors, contents } of new Composer(options).compose(readTokens(text), true)) {
    const [first] = errors.toSorted((one, other) => one.pos[0] - other.pos[0])
    if (first !== undefined) throw flawAt(text, first.pos[0], sentenceOf(first))
    return toJson(text, contents)
  }
  return null
}
