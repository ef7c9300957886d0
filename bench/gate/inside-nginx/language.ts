/** What the check uses of JavaScript and njs 0.7.9 lacks, no more than the check needs. */

import { foldTable } from './fold-table.ts'

/** Members in the order in which hub and gate write them: by itself njs writes them in the order of its hash table. */
const memberOrder = [
  ...['iss', 'aud', 'sub', 'client_id', 'scope', 'repo', 'ref', 'commit', 'as_of', 'sees'],
  ...['iat', 'exp', 'jti'],
  ...['type', 'id', 'name', 'uid', 'before', 'until'],
  ...['title', 'status', 'detail', 'code', 'requestId', 'error', 'missing'],
]
const stringify = JSON.stringify
JSON.stringify = (value: unknown) => stringify(value, memberOrder)

const added: Record<string, (this: string, ...given: never[]) => string> = {
  replaceAll(this: string, pattern: string | RegExp, put: string) {
    return typeof pattern === 'string' ? this.split(pattern).join(put) : this.replace(pattern, put)
  },
  /** Texts of njs are UTF-8, which has no lone surrogates. */
  toWellFormed() {
    return String(this)
  },
  /** NFKD, as far as the form holds ASCII; whatever else is in it becomes U+FFFD. */
  normalize() {
    return this.replace(/[^\x00-\x7f]/g, asciiForm)
  },
}
Object.assign(String.prototype, added)

function asciiForm(character: string): string {
  const start = `\n${character.codePointAt(0)?.toString(16)} `
  const at = foldTable.indexOf(start)
  if (at === -1) return character
  const from = at + start.length
  return foldTable.slice(from, foldTable.indexOf('\n', from))
}

Object.assign(Array, {
  from: (bytes: Uint8Array, made: (byte: number) => unknown) => {
    const list: unknown[] = []
    for (let at = 0; at < bytes.length; at += 1) list.push(made(bytes[at] ?? 0))
    return list
  },
})

Object.assign(globalThis, {
  Set: function (this: { has(value: unknown): boolean }, values: readonly unknown[] = []) {
    this.has = (value) => values.includes(value)
  },
  /** What is remembered by an object would be asked for by a later request, which njs never has. */
  WeakMap: function (this: { get(): undefined; set(): void }) {
    this.get = () => undefined
    this.set = () => {}
  },
  /** Of the audience, which the build has checked. */
  URL: function (this: { origin: string; host: string }, text: string) {
    const [origin = '', host = ''] = /^\w+:\/\/([^/]*)/.exec(text) ?? []
    this.origin = origin
    this.host = host
  },
})
