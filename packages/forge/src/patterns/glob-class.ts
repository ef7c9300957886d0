/** A bracket expression of a pattern: `[a-z]`, `[!0-9]`, `[[:space:]]`. */

export interface ByteClass {
  readonly has: (code: number) => boolean
  /** Behind its closing bracket. */
  readonly end: number
}

// biome-ignore format: a table is read by its columns
const named: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/,  alpha: /[A-Za-z]/,         blank: /[ \t]/,        cntrl: /[\0-\x1f\x7f]/,
  digit: /[0-9]/,        graph: /[!-~]/,            lower: /[a-z]/,        print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/, space: /[ \t\n\r\v\f]/,    upper: /[A-Z]/,        xdigit: /[0-9A-Fa-f]/,
}

type Test = (code: number) => boolean

/** Undefined when it has no end, or a named class is unknown. The rules are those of git's matcher. */
export function classAt(pattern: string, start: number): ByteClass | undefined {
  const isNegated = pattern[start + 1] === '!' || pattern[start + 1] === '^'
  const tests: Test[] = []
  let before: number | undefined
  // A bracket that stands first is a letter.
  for (let at = start + (isNegated ? 2 : 1), isFirst = true; ; isFirst = false) {
    if (at >= pattern.length) return undefined
    if (pattern[at] === ']' && !isFirst) return { has: union(tests, isNegated), end: at + 1 }
    const item = itemAt(pattern, at, before)
    if (item === undefined) return undefined
    tests.push(item.test)
    before = item.before
    at = item.end
  }
}

interface Item {
  readonly test: Test
  readonly end: number
  /** What a range behind it begins with. */
  readonly before: number | undefined
}

function itemAt(pattern: string, at: number, before: number | undefined): Item | undefined {
  const next = pattern[at + 1]
  if (pattern[at] === '\\') {
    return next === undefined ? undefined : letter(pattern, at + 1)
  }
  const isRange = pattern[at] === '-' && before !== undefined && next !== undefined && next !== ']'
  if (isRange) return range(pattern, at + 1, before)
  return pattern[at] === '[' && next === ':' ? namedClass(pattern, at) : letter(pattern, at)
}

function letter(pattern: string, at: number): Item {
  const code = pattern.charCodeAt(at)
  return { test: (other) => other === code, end: at + 1, before: code }
}

function range(pattern: string, at: number, first: number): Item | undefined {
  const place = pattern[at] === '\\' ? at + 1 : at
  if (place >= pattern.length) return undefined
  const last = pattern.charCodeAt(place)
  return { test: (code) => code >= first && code <= last, end: place + 1, before: undefined }
}

function namedClass(pattern: string, at: number): Item | undefined {
  const close = pattern.indexOf(']', at + 2)
  if (close === -1) return undefined
  // Without `:]` the bracket is a letter.
  if (close < at + 3 || pattern[close - 1] !== ':') return letter(pattern, at)
  const name = pattern.slice(at + 2, close - 1)
  const members = Object.hasOwn(named, name) ? named[name] : undefined
  if (members === undefined) return undefined
  const test: Test = (code) => members.test(String.fromCharCode(code))
  return { test, end: close + 1, before: undefined }
}

function union(tests: readonly Test[], isNegated: boolean): Test {
  return (code) => tests.some((test) => test(code)) !== isNegated
}
