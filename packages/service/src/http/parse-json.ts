/** Parses a JSON body of a request in slices: no body holds the event loop for longer than a slice takes. */

import { nextSlice } from '../limits/slices.ts'

/** Hostile JSON of this length takes some milliseconds: objects of ever other members are the slowest. */
const sliceBytes = 32 * 1024
/** A shorter text is parsed at once; a longer one waits for its turn among those of other requests. */
const shortBytes = 4 * 1024
/** A longer text is cut into the members of its object, and those that are lists into items. */
const maxWholeBytes = 2 * sliceBytes
/** The members of the outermost object. */
const usualMostMembers = 1000
/** Values of a text that is cut, at every depth. An empty object has two bytes of JSON, and takes thirty times as much. */
const maxValues = 100_000

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Undefined for a text that is no JSON in UTF-8. The same for a large one whose members, or items of a list, are objects
 * or lists longer than a slice, or that has more than a hundred thousand values: no route of ours has such a body.
 */
export async function parseJson(
  bytes: Uint8Array,
  { maxMembers = usualMostMembers }: { readonly maxMembers?: number } = {},
): Promise<unknown> {
  try {
    if (bytes.length > shortBytes) await nextSlice()
    if (bytes.length <= maxWholeBytes) return parsed(bytes)
    return await new Slices(bytes, maxMembers).parse()
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined
    throw error
  }
}

function parsed(bytes: Uint8Array): unknown {
  return JSON.parse(utf8.decode(bytes))
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [listStart, listEnd, objectStart, objectEnd] = [0x5b, 0x5d, 0x7b, 0x7d]
const spaces: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d])

class Slices {
  readonly #bytes: Uint8Array
  readonly #maxMembers: number
  #at = 0
  #pausedAt = 0
  #values = 0

  constructor(bytes: Uint8Array, maxMembers: number) {
    this.#bytes = bytes
    this.#maxMembers = maxMembers
  }

  async parse(): Promise<unknown> {
    this.#skipSpaces()
    const isObject = this.#bytes[this.#at] === objectStart
    const value = isObject ? await this.#object() : await this.#list()
    this.#skipSpaces()
    return this.#at === this.#bytes.length ? value : fail()
  }

  async #object(): Promise<object> {
    const members = new Map<string, unknown>()
    this.#take(objectStart)
    for (let count = 0; !this.#isNext(objectEnd); count += 1) {
      if (count === this.#maxMembers) fail()
      if (count > 0) this.#take(comma)
      this.#skipSpaces()
      const start = this.#at
      this.#skipText()
      const key = parsed(this.#bytes.subarray(start, this.#at))
      this.#take(colon)
      members.set(String(key), await this.#value())
    }
    this.#take(objectEnd)
    return Object.fromEntries(members)
  }

  async #value(): Promise<unknown> {
    if (this.#isNext(listStart)) return this.#list()
    const start = this.#at
    this.#skipValue()
    const value = parsed(this.#bytes.subarray(start, this.#at))
    await this.#pause()
    return value
  }

  /** As many items at once as a slice has. */
  async #list(): Promise<unknown[]> {
    const items: unknown[] = []
    this.#take(listStart)
    while (!this.#isNext(listEnd)) {
      if (items.length > 0) this.#take(comma)
      const start = this.#at
      const end = this.#skipItems(start + sliceBytes)
      items.push(...parsedItems(this.#bytes.subarray(start, end)))
      await this.#pause()
    }
    this.#take(listEnd)
    return items
  }

  /** Where the last item ends that begins before `until`. */
  #skipItems(until: number): number {
    for (;;) {
      this.#skipValue()
      const end = this.#at
      if (end >= until || !this.#isNext(comma)) return end
      this.#at += 1
    }
  }

  #skipValue(): void {
    this.#skipSpaces()
    this.#count()
    const first = this.#bytes[this.#at]
    if (first === quote) this.#skipText()
    else if (first === listStart || first === objectStart) this.#skipNested()
    else this.#skipWord()
  }

  #skipText(): void {
    const bytes = this.#bytes
    if (bytes[this.#at] !== quote) fail()
    let at = this.#at + 1
    while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
    if (at >= bytes.length) fail()
    this.#at = at + 1
  }

  #skipNested(): void {
    const start = this.#at
    let depth = 0
    do {
      const byte = this.#bytes[this.#at]
      if (byte === quote) {
        this.#skipText()
        continue
      }
      if (byte === undefined || this.#at - start > sliceBytes) fail()
      const isStart = byte === listStart || byte === objectStart
      if (isStart || byte === comma) this.#count()
      if (isStart) depth += 1
      else if (byte === listEnd || byte === objectEnd) depth -= 1
      this.#at += 1
    } while (depth > 0)
    if (this.#at - start > maxWholeBytes) fail()
  }

  #count(): void {
    this.#values += 1
    if (this.#values > maxValues) fail()
  }

  /** A number, or `true`, `false` and `null`. */
  #skipWord(): void {
    const start = this.#at
    while (isOfWord(this.#bytes[this.#at])) this.#at += 1
    if (this.#at === start) fail()
  }

  #skipSpaces(): void {
    while (spaces.has(this.#bytes[this.#at])) this.#at += 1
  }

  #isNext(byte: number): boolean {
    this.#skipSpaces()
    return this.#bytes[this.#at] === byte
  }

  #take(byte: number): void {
    if (!this.#isNext(byte)) fail()
    this.#at += 1
  }

  async #pause(): Promise<void> {
    if (this.#at - this.#pausedAt < sliceBytes) return
    this.#pausedAt = this.#at
    await nextSlice()
  }
}

function parsedItems(items: Uint8Array): readonly unknown[] {
  return JSON.parse(`[${utf8.decode(items)}]`)
}

/** Letters, digits, signs and points: whether they are a value is JSON's to say. */
function isOfWord(byte: number | undefined): boolean {
  if (byte === undefined || spaces.has(byte)) return false
  return byte !== comma && byte !== listEnd && byte !== objectEnd && byte !== colon
}

function fail(): never {
  throw new SyntaxError('no JSON that is read in slices')
}
