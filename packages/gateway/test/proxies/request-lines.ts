/** Request lines around the words that write routes are made of, spelled in all the ways that routers may repair. */

import { prefix } from '@latchkey/testing/gate/storage-tokens'
import fc from 'fast-check'

export interface RequestLine {
  readonly method: string
  readonly path: string
}

const words = [
  ...['shard', 'shards', 'xorb', 'xorbs', 'SHARD', 'Xorbs', 'xorb-grants', 'Shardlike'],
  ...['v1', 'v2', 'api', 'default', 'abc', 'x', 'telemetry', 'chunks'],
]

const spellings: readonly ((word: string) => string)[] = [
  (word) => word,
  (word) => word.toUpperCase(),
  (word) => `${word.slice(0, 2)}${word.slice(2).toUpperCase()}`,
  (word) => `%${word.charCodeAt(0).toString(16)}${word.slice(1)}`,
  (word) => `%25${word.charCodeAt(0).toString(16)}${word.slice(1)}`,
  (word) => `${word};x`,
  (word) => `${word}%3bx`,
  (word) => `${word}.`,
  (word) => `${word}%20`,
  (word) => `${word}%00`,
  (word) => `${word}\\x`,
  (word) => `x%2f${word}`,
  (word) => `x/../${word}`,
  (word) => `%2e%2e/${word}`,
  (word) => `./${word}`,
  (word) => `/${word}`,
  // Letters that some make an s or an x of: the long one, and those of double width.
  (word) => word.replace('s', '%C5%BF').replace('x', '%EF%BD%98'),
  (word) => `${word}#`,
  // A mark above the last letter, which some write as one character with it.
  (word) => `${word}%CC%87`,
]

const segment = fc
  .tuple(
    fc.constantFrom(...words),
    fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(spellings.length - 1)),
  )
  .map(([word, spelling]) => spellings[spelling]?.(word) ?? word)

const start = fc.oneof(
  { weight: 6, arbitrary: fc.constant(prefix) },
  fc.constantFrom(
    '',
    `/${prefix}`,
    `${prefix}/..`,
    prefix.toUpperCase(),
    `http://cas.example${prefix}`,
  ),
)

const end = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  fc.constantFrom('/', '//', '?', '?/shard', '/.', '/..', '/?x=1', '%'),
)

const method = fc.constantFrom('POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'GET', 'BREW')

export const requestLine: fc.Arbitrary<RequestLine> = fc
  .tuple(method, start, fc.array(segment, { minLength: 1, maxLength: 9 }), end)
  .map(([method, before, segments, after]) => ({
    method,
    path: `${before}/${segments.join('/')}${after}`,
  }))
