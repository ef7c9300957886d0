/** A place in a YAML text that moves from its top to its end, with bounds on what the text may cost. */

/** What is wrong, and in which line, counted from 1. Thrown by the readers of YAML, and caught where they are called. */
export class YamlFlaw extends Error {
  readonly line: number

  constructor(line: number, flaw: string) {
    super(flaw)
    this.line = line
  }
}

const mostDepth = 32
/** Each takes a few microseconds, in which the hub serves nothing else. */
export const mostValues = 10_000

export class YamlLines {
  /** Behind the last character that was read, in the current line. */
  column = 0
  readonly #lines: readonly string[]
  #at = 0
  #depth = 0
  #values = 0

  constructor(text: string) {
    this.#lines = text.split('\n')
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#lines.length
  }

  /** The current line, whole. */
  get line(): string {
    return this.#lines[this.#at] ?? ''
  }

  /** What is left of the line. */
  get rest(): string {
    return this.line.slice(this.column)
  }

  next(): void {
    this.#at += 1
    this.column = 0
  }

  /** Moves over spaces; whether something follows in this line that is no comment. */
  skipBlanks(): boolean {
    while (isBlank(this.line[this.column])) this.column += 1
    return this.column < this.line.length && this.line[this.column] !== '#'
  }

  /** Moves to the first text at or behind this place. Its column is its indentation. */
  skipEmpty(): void {
    while (!this.isAtEnd) {
      const start = this.column
      if (this.skipBlanks()) {
        const isTab = start === 0 && this.line.slice(0, this.column).includes('\t')
        if (isTab) this.fail('is indented by a tab. Use spaces')
        return
      }
      this.next()
    }
  }

  /** Counts a value, and what is read inside it as one level deeper. */
  inside<Value>(read: () => Value): Value {
    this.#depth += 1
    this.#values += 1
    if (this.#depth > mostDepth) this.fail(`is nested deeper than ${mostDepth} levels`)
    if (this.#values > mostValues) this.fail(`comes after more than ${mostValues} values`)
    const value = read()
    this.#depth -= 1
    return value
  }

  fail(flaw: string): never {
    throw new YamlFlaw(Math.min(this.#at + 1, this.#lines.length), flaw)
  }
}

export function isBlank(letter: string | undefined): boolean {
  return letter === ' ' || letter === '\t'
}
