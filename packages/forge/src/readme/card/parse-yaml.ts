/** Reads the YAML of a card as JSON can hold it. Runs on the README thread: a hostile text may take a second. */

import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  type ScalarTag,
  type YAMLMap,
} from 'yaml'
import { quoted } from '../../words/quoted.ts'
import { maxYamlLength } from './front-matter.ts'

export type Yaml = string | number | boolean | null | readonly Yaml[] | YamlMembers
export type YamlMembers = { readonly [member: string]: Yaml }

/** Mappings, lists and scalars, once each alias is replaced by its value. */
export const maxValues = 10_000
const maxDepth = 32
/** Brackets that are open at the same time, wherever they are: the library takes seconds for thousands. */
const maxOpenBrackets = 64
const maxKeyLength = 1024

/** The message continues a sentence that starts with "Line 3". */
export class YamlFlaw extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/** The library reads `!!float 1.0` alone. */
const wholeFloat: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  test: /^[-+]?\d+$/,
  resolve: Number,
}

export function parseYaml(text: string): { readonly value: Yaml } | YamlFlaw {
  if (text.length > maxYamlLength) {
    return new YamlFlaw(1, `begins metadata of more than ${maxYamlLength} characters`)
  }
  const deep = lineOfDeepBracket(text)
  if (deep !== undefined) {
    return new YamlFlaw(deep, `has more than ${maxOpenBrackets} brackets that are not closed`)
  }
  const lines = new LineCounter()
  // The library compares each key with all others; `Reading` does it in one pass.
  const document = parseDocument(text, {
    ...{ schema: 'core', uniqueKeys: false, resolveKnownTags: false },
    customTags: (tags) => [...tags, wholeFloat],
    ...{ lineCounter: lines, prettyErrors: false },
  })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem !== undefined) {
    const { line } = lines.linePos(problem.pos[0])
    return new YamlFlaw(line, `cannot be read as YAML: ${problem.message}`)
  }
  try {
    return { value: new Reading(lines).read(document.contents) }
  } catch (error) {
    if (error instanceof YamlFlaw) return error
    throw error
  }
}

/** Undefined where no bracket is too deep. Brackets in texts count: a rule for quotes would be a second parser. */
function lineOfDeepBracket(text: string): number | undefined {
  let open = 0
  let line = 1
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at]
    if (letter === '\n') line += 1
    else if (letter === '[' || letter === '{') open += 1
    else if (letter === ']' || letter === '}') open = Math.max(0, open - 1)
    if (open > maxOpenBrackets) return line
  }
  return undefined
}

interface Anchored {
  readonly value: Yaml
  readonly values: number
  readonly letters: number
}

/** Counts what the values would take if each alias were written out. */
class Reading {
  readonly #lines: LineCounter
  /** Undefined while the node itself is being read. */
  readonly #anchored = new Map<string, Anchored | undefined>()
  #depth = 0
  #values = 0
  #letters = 0

  constructor(lines: LineCounter) {
    this.#lines = lines
  }

  read(node: Node | null): Yaml {
    if (isAlias(node)) return this.#repeat(node, node.source)
    this.#count(node, 1, 0)
    if (node === null) return null
    const anchor = 'anchor' in node ? node.anchor : undefined
    const before = { values: this.#values - 1, letters: this.#letters }
    if (anchor !== undefined) this.#anchored.set(anchor, undefined)
    this.#depth += 1
    if (this.#depth > maxDepth) this.#fail(node, `is nested deeper than ${maxDepth} levels`)
    const value = this.#valueOf(node)
    this.#depth -= 1
    if (anchor !== undefined) {
      const values = this.#values - before.values
      this.#anchored.set(anchor, { value, values, letters: this.#letters - before.letters })
    }
    return value
  }

  #valueOf(node: Node): Yaml {
    if (isScalar(node)) return this.#scalar(node)
    if (isSeq(node)) return node.items.map((item) => this.read(asNode(item)))
    return isMap(node) ? this.#members(node) : this.#fail(node, 'has a value of an unknown kind')
  }

  /** JSON holds neither large integers exactly nor infinities: they stay texts. */
  #scalar(node: Scalar): Yaml {
    const { value, source = '' } = node
    const isText = typeof value === 'string'
    this.#count(node, 0, isText ? value.length : source.length)
    if (typeof value !== 'number') return isText || typeof value === 'boolean' ? value : null
    const isExact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value)
    return isExact ? value : source
  }

  #members(map: YAMLMap): YamlMembers {
    const members = new Map<string, Yaml>()
    const merged: YamlMembers[] = []
    for (const pair of map.items) {
      if (!isPair(pair)) this.#fail(map, 'has a member of an unknown kind')
      const key = asNode(pair.key)
      const name = this.#name(key ?? map, this.read(key))
      const value = this.read(asNode(pair.value))
      if (members.has(name)) this.#fail(key ?? map, `has the key ${quoted(name)} a second time`)
      if (name === '<<' && isScalar(key) && key.type === 'PLAIN') {
        merged.push(...this.#mergedIn(key, value))
      } else members.set(name, value)
    }
    // Own members win over merged ones, and earlier merged ones over later.
    return Object.fromEntries([...merged.toReversed().flatMap(Object.entries), ...members])
  }

  #mergedIn(key: Node, value: Yaml): readonly YamlMembers[] {
    const all = Array.isArray(value) ? value : [value]
    if (all.every(isMembers)) return all
    return this.#fail(key, 'merges something that is no mapping')
  }

  #name(node: Node, key: Yaml): string {
    if (typeof key === 'object' && key !== null) {
      this.#fail(node, 'has a list or a mapping for a key')
    }
    const name = String(key)
    if (name.length > maxKeyLength) {
      this.#fail(node, `has a key of more than ${maxKeyLength} characters`)
    }
    return name
  }

  #repeat(node: Node, name: string): Yaml {
    if (!this.#anchored.has(name)) this.#fail(node, `has the alias *${name} of no anchor above`)
    const anchored = this.#anchored.get(name)
    if (anchored === undefined) return this.#fail(node, `has the alias *${name} inside its anchor`)
    this.#count(node, anchored.values, anchored.letters)
    return anchored.value
  }

  #count(node: Node | null, values: number, letters: number): void {
    this.#values += values
    this.#letters += letters
    if (this.#values > maxValues) this.#fail(node, `comes after more than ${maxValues} values`)
    if (this.#letters > maxYamlLength) {
      this.#fail(node, `makes the metadata longer than ${maxYamlLength} characters`)
    }
  }

  #fail(node: Node | null, flaw: string): never {
    throw new YamlFlaw(this.#lines.linePos(node?.range?.[0] ?? 0).line, flaw)
  }
}

function asNode(value: unknown): Node | null {
  return isScalar(value) || isSeq(value) || isMap(value) || isAlias(value) ? value : null
}

export function isMembers(value: Yaml): value is YamlMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
