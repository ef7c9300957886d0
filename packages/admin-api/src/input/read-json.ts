/** Reads JSON strictly: a member given twice is a mistake, and every mistake has its place. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { formatInputPath } from './read-input.ts'

/** Deeper than any input of ours, and shallow enough for the stack. */
const deepest = 64

export type Json = null | boolean | number | string | Json[] | { [member: string]: Json }

export function readJson(text: string): Json | Refusal {
  try {
    return new Reader(text.replace(/^\uFEFF/, '')).readDocument()
  } catch (stop) {
    if (stop instanceof Misread) return stop.refusal
    throw stop
  }
}

/** Ends the reading at the first mistake; never leaves this file. */
class Misread extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super('misread')
    this.refusal = refusal
  }
}

const space = /[ \t\n\r]*/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /true|false|null/y

class Reader {
  readonly #text: string
  readonly #path: (string | number)[] = []
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  readDocument(): Json {
    const value = this.#value()
    this.#skip()
    if (this.#at < this.#text.length) this.#expected('the end of the text')
    return value
  }

  #value(): Json {
    this.#skip()
    switch (this.#text.charAt(this.#at)) {
      case '{':
        return this.#object()
      case '[':
        return this.#array()
      case '"':
        return this.#string()
      default:
        return this.#scalar()
    }
  }

  #object(): Json {
    const members: { [member: string]: Json } = {}
    this.#open()
    if (this.#takes('}')) return members
    do {
      this.#skip()
      const start = this.#at
      const member = this.#string()
      this.#path.push(member)
      if (Object.hasOwn(members, member)) this.#fail('is given twice: keep one', start)
      if (member === '__proto__') this.#fail('is no member of anything: remove it', start)
      if (!this.#takes(':')) this.#expected('a colon')
      members[member] = this.#value()
      this.#path.pop()
    } while (this.#takes(','))
    if (!this.#takes('}')) this.#expected('a comma or }')
    return members
  }

  #array(): Json {
    const items: Json[] = []
    this.#open()
    if (this.#takes(']')) return items
    do {
      this.#path.push(items.length)
      items.push(this.#value())
      this.#path.pop()
    } while (this.#takes(','))
    if (!this.#takes(']')) this.#expected('a comma or ]')
    return items
  }

  #open(): void {
    if (this.#path.length >= deepest) this.#fail('is nested too deeply')
    this.#at += 1
  }

  /** Without a regular expression, whose stack a string of megabytes would exhaust. */
  #string(): string {
    const start = this.#at
    if (this.#text.charAt(start) !== '"') this.#expected('a string in double quotes')
    let end = start
    do {
      end = this.#text.indexOf('"', end + 1)
      if (end === -1) this.#expected('a string that ends with a double quote')
    } while (this.#isEscaped(end))
    const text = unquote(this.#text.slice(start, end + 1))
    if (text === undefined) this.#expected('a string without control characters or odd escapes')
    this.#at = end + 1
    return text
  }

  #isEscaped(at: number): boolean {
    let first = at
    while (this.#text.charAt(first - 1) === '\\') first -= 1
    return (at - first) % 2 === 1
  }

  #scalar(): Json {
    const text = this.#match(word) ?? this.#match(number)
    if (text === undefined) this.#expected('a value')
    return JSON.parse(text)
  }

  #takes(character: string): boolean {
    this.#skip()
    if (!this.#text.startsWith(character, this.#at)) return false
    this.#at += 1
    return true
  }

  #skip(): void {
    this.#match(space)
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const text = pattern.exec(this.#text)?.[0]
    this.#at += text?.length ?? 0
    return text
  }

  #expected(what: string): never {
    throw new Misread(
      refuse('bad_request', `This is not JSON: ${this.#place(this.#at)}, expected ${what}.`),
    )
  }

  #fail(what: string, at = this.#at): never {
    const path = formatInputPath(this.#path)
    throw new Misread(refuse('bad_request', `${path} ${what} (${this.#place(at)}).`, { path }))
  }

  #place(at: number): string {
    const before = this.#text.slice(0, at)
    const line = before.split('\n').length
    return `line ${line}, column ${at - before.lastIndexOf('\n')}`
  }
}

function unquote(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted)
  } catch {
    return undefined
  }
}
