/** Reads JSON strictly: a member given twice is a mistake, and every mistake has its place. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { formatInputPath } from './read-input.ts'

/** Deeper than any input of ours, and shallow enough for the stack. */
const deepest = 64

/** Hostile JSON of this length takes some milliseconds. */
const sliceLength = 8 * 1024

/** Undefined while there is no need to wait: the slice of the caller is not over. */
export type Pause = () => Promise<void> | undefined

export type Json = null | boolean | number | string | Json[] | { [member: string]: Json }

export function readJson(text: string): Json | Refusal {
  const reading = slicesOf(text)
  for (;;) {
    const { done, value } = reading.next()
    if (done === true) return value
  }
}

/** The same, with pauses in which others work. An object with very many members makes them late: it grows at one go. */
export async function readJsonInSlices(
  text: string,
  pause: Pause,
  maxMembers = Number.POSITIVE_INFINITY,
): Promise<Json | Refusal> {
  const reading = slicesOf(text, maxMembers)
  for (;;) {
    const { done, value } = reading.next()
    if (done === true) return value
    const pausing = pause()
    if (pausing !== undefined) await pausing
  }
}

type Slices<Value> = Generator<void, Value, void>

function* slicesOf(text: string, maxMembers = Number.POSITIVE_INFINITY): Slices<Json | Refusal> {
  try {
    return yield* new Reader(text.replace(/^\uFEFF/, ''), maxMembers).readDocument()
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
const newline = 0x0a

class Reader {
  readonly #text: string
  readonly #maxMembers: number
  readonly #maxItems: number
  readonly #path: (string | number)[] = []
  #at = 0
  #sliceEnd = sliceLength

  constructor(text: string, maxMembers: number) {
    this.#text = text
    this.#maxMembers = maxMembers
    // An item takes fewer bytes than a member, and less time.
    this.#maxItems = 2 * maxMembers
  }

  *readDocument(): Slices<Json> {
    const plain = this.#plain()
    const value = plain === undefined ? yield* this.#nested() : plain
    this.#skip()
    if (this.#at < this.#text.length) this.#expected('the end of the text')
    return value
  }

  /** Undefined for an object or a list. */
  #plain(): null | boolean | number | string | undefined {
    this.#skip()
    switch (this.#text.charAt(this.#at)) {
      case '{':
      case '[':
        return undefined
      case '"':
        return this.#string()
      default:
        return this.#scalar()
    }
  }

  *#nested(): Slices<Json> {
    return this.#text.charAt(this.#at) === '{' ? yield* this.#object() : yield* this.#array()
  }

  *#object(): Slices<Json> {
    const members: { [member: string]: Json } = {}
    this.#open()
    if (this.#takes('}')) return members
    let count = 0
    do {
      count += 1
      if (count > this.#maxMembers) this.#fail(`has more than ${this.#maxMembers} members`)
      this.#skip()
      const start = this.#at
      const member = this.#string()
      this.#path.push(member)
      if (Object.hasOwn(members, member)) this.#fail('is given twice: keep one', start)
      if (member === '__proto__') this.#fail('is no member of anything: remove it', start)
      if (!this.#takes(':')) this.#expected('a colon')
      const plain = this.#plain()
      members[member] = plain === undefined ? yield* this.#nested() : plain
      this.#path.pop()
      if (this.#isOver()) yield
    } while (this.#takes(','))
    if (!this.#takes('}')) this.#expected('a comma or }')
    return members
  }

  *#array(): Slices<Json> {
    const items: Json[] = []
    this.#open()
    if (this.#takes(']')) return items
    do {
      if (items.length === this.#maxItems) this.#fail(`has more than ${this.#maxItems} items`)
      this.#path.push(items.length)
      const plain = this.#plain()
      items.push(plain === undefined ? yield* this.#nested() : plain)
      this.#path.pop()
      if (this.#isOver()) yield
    } while (this.#takes(','))
    if (!this.#takes(']')) this.#expected('a comma or ]')
    return items
  }

  #isOver(): boolean {
    if (this.#at < this.#sliceEnd) return false
    this.#sliceEnd = this.#at + sliceLength
    return true
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

  #scalar(): null | boolean | number {
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
    let [line, lineStart] = [1, 0]
    for (let before = 0; before < at; before += 1) {
      if (this.#text.charCodeAt(before) !== newline) continue
      line += 1
      lineStart = before + 1
    }
    return `line ${line}, column ${at - lineStart + 1}`
  }
}

function unquote(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted)
  } catch {
    return undefined
  }
}
