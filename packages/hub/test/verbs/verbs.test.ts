import { adminScopes, verbs } from '@latchkey/admin-api'
import { expect, test } from 'vitest'

test('no two verbs have the same words or the same route', () => {
  expect(new Set(verbs.map(({ words }) => words)).size).toBe(verbs.length)
  expect(new Set(verbs.map(({ method, path }) => `${method} ${path}`)).size).toBe(verbs.length)
})

test.each(verbs.map((verb) => [verb.words, verb] as const))(
  'every member of the input of "%s" is described',
  (_, { input, summary }) => {
    expect(summary).toMatch(/^[A-Z].+\.$/)
    for (const [member, schema] of Object.entries(input.shape)) {
      expect([member, schema.description ?? '']).toEqual([
        member,
        expect.stringMatching(/^\S.+[.:]$/),
      ])
    }
  },
)

test.each(verbs.map((verb) => [verb.words, verb] as const))(
  'what "%s" takes as arguments or in its path is a member of its input',
  (_, { input, path, positional }) => {
    const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, member]) => member)
    for (const member of [...inPath, ...positional]) expect(input.shape).toHaveProperty(`${member}`)
  },
)

test('every verb group has a verb', () => {
  expect(new Set(verbs.map(({ group }) => group))).toEqual(new Set(adminScopes))
})

test('verbs that only look have the method GET, and only those', () => {
  for (const { words, method } of verbs) {
    expect([words, method === 'GET']).toEqual([
      words,
      /( list| show| refusals|explain|explain sign-in|changes)$/.test(words),
    ])
  }
})
