/** A secret cannot be printed by accident. */

import { format, inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Secret } from '../src/index.ts'

const runs = process.env['LATCHKEY_SOAK'] ? 10_000 : 300
const text = 'lk_canary0123456789'
const secret = new Secret('hub-token', text)

function errorAbout(value: unknown): Error {
  return new Error(`cannot use ${value}`, { cause: value })
}

const waysToPrint: Record<string, (value: Secret<'hub-token'>) => string> = {
  String: (value) => String(value),
  'a template': (value) => `${value}`,
  'a joined list': (value) => [value].join(),
  'its own toString': (value) => value.toString(),
  'JSON.stringify': (value) => JSON.stringify(value),
  'JSON.stringify of an object that holds it': (value) => JSON.stringify({ list: [value] }),
  inspect: (value) => inspect(value),
  'inspect of an object that holds it': (value) =>
    inspect({ deep: { deeper: [value] } }, { depth: null }),
  'inspect of hidden members': (value) => inspect(value, { showHidden: true, depth: null }),
  'inspect without custom forms': (value) =>
    inspect(value, { customInspect: false, showHidden: true, getters: true, depth: null }),
  'inspect of a map that holds it': (value) => inspect(new Map([[value, value]])),
  'format as a string': (value) => format('%s %o %O %j %d', value, value, value, value, value),
  'an error about it': (value) => String(errorAbout(value).stack),
  'inspect of an error whose cause it is': (value) =>
    inspect(errorAbout(value), { depth: null, showHidden: true }),
  'a type error about it': (value) => {
    try {
      return (value as unknown as () => string)()
    } catch (error) {
      return inspect(error)
    }
  },
  structuredClone: (value) => inspect(structuredClone(value), { showHidden: true }),
  'its keys and members': (value) =>
    JSON.stringify([Reflect.ownKeys(value).map(String), Object.entries(value)]),
  'a copy of its members': (value) => JSON.stringify({ ...value }),
  'Object.assign': (value) => JSON.stringify(Object.assign({}, value)),
}

describe('a secret does not show its text', () => {
  test.each(Object.entries(waysToPrint))('in %s', (_, print) => {
    expect(print(secret)).not.toContain('canary')
  })

  test('in any of these ways, whatever the text is', () => {
    const texts = fc.stringMatching(/^[A-Za-z0-9_.-]{24,60}$/)
    const ways = fc.constantFrom(...Object.values(waysToPrint))
    fc.assert(
      fc.property(texts, ways, (hidden, print) => {
        expect(print(new Secret('hub-token', hidden))).not.toContain(hidden)
      }),
      { numRuns: runs },
    )
  })
})

describe('a secret', () => {
  test.each(['hub-token', 'access-token', 'master-key'] as const)('prints its kind: %s', (kind) => {
    const hidden = new Secret(kind, text)
    expect(String(hidden)).toBe(`[${kind}]`)
    expect(JSON.stringify({ hidden })).toBe(`{"hidden":"[${kind}]"}`)
    expect(inspect({ hidden })).toBe(`{ hidden: [${kind}] }`)
  })

  test('gives its text to who asks for it by name', () => {
    expect(secret.reveal()).toBe(text)
  })
})
