import { verbGroups, verbs } from '@latchkey/admin-api'
import { writeTables } from '@latchkey/testing/hub/write-tables'
import { expect, test } from 'vitest'
import { openDirectory, start } from './open-directory.ts'

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
  expect(new Set(verbs.map(({ group }) => group))).toEqual(new Set(verbGroups))
})

test('verbs that only look have the method GET, and only those', () => {
  for (const { words, method } of verbs) {
    expect([words, method === 'GET']).toEqual([words, /( list| show|explain|changes)$/.test(words)])
  }
})

test('signing keys are listed without any key material', async () => {
  const { run, store } = openDirectory()
  const times = { created_at: start, activates_at: start, activated_at: start, retired_at: null }
  const named = {
    kid: 'thumbprint',
    purpose: 'tokens',
    alg: 'ES256',
    sealed: 'sealed-key',
  } as const
  const key = { ...named, ...times, longest_lifetime: 900 }
  await writeTables(store.directory, (tables) =>
    tables.insertInto('signing_keys').values(key).execute(),
  )
  expect(await run('keys list')).toEqual({
    items: [{ kid: 'thumbprint', alg: 'ES256', createdAt: '2027-01-15T08:00:00Z' }],
    total: 1,
  })
})
