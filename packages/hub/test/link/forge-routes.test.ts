/** Who may ask the questions of a forge, and what is no question. */

import { verbs } from '@latchkey/admin-api'
import { ask } from '@latchkey/testing/hub/ask'
import { beforeEach, describe, expect, test } from 'vitest'
import { forgeLimits } from '../../src/link/link-limits.ts'
import { exampleOf } from '../admin/example-path.ts'
import { codeOf, gist } from '../http/compare.ts'
import {
  type Asked,
  askedBy,
  askForge,
  askLink,
  bert,
  everyQuestion,
  startForgeLinked,
} from './ask-link.ts'

type World = Awaited<ReturnType<typeof startForgeLinked>>

const decide = { caller: askedBy, input: { repo: bert, revision: 'main', scope: 'read' } }
const own = { input: { uids: [] } }

describe('the questions of a forge', () => {
  let world: World
  beforeEach(async () => {
    world = await startForgeLinked()
  })

  test('are for the embedded credential of the forge and hub tokens of the kind forge', async () => {
    const credentials: readonly (readonly [Asked['as'], number])[] = [
      [world.hub.embedded.forge, 200],
      ['cas/forge', 200],
      [world.hub.embedded.credential, 401],
      [undefined, 401],
      ['cas/link', 403],
      ['cas/write', 403],
      ['root/admin', 403],
      ['ada/read', 403],
    ]
    for (const [as, status] of credentials) {
      for (const [question, body] of [
        ['decide', decide],
        ['deletedAmong', own],
      ] as const) {
        expect([String(as), (await askForge(world, question, { as, body })).status]).toEqual([
          String(as),
          status,
        ])
      }
    }
  })

  test('open nothing else to its credentials: no link of a storage, no verb, no storage token', async () => {
    for (const [what, asked] of everyQuestion) {
      expect((await askLink(world, what, { ...asked, as: world.hub.embedded.forge })).status).toBe(
        401,
      )
      expect((await askLink(world, what, { ...asked, as: 'cas/forge' })).status).toBe(403)
    }
    for (const verb of verbs) {
      const path = `/admin/v1${exampleOf(verb)}`
      const told = await ask(world, path, { as: 'cas/forge', method: verb.method })
      expect([verb.words, ...codeOf(told)]).toEqual([verb.words, 403, 'permission_denied'])
      const embedded = await ask(world, path, { as: world.hub.embedded.forge, method: verb.method })
      expect([verb.words, embedded.status]).toEqual([verb.words, 401])
    }
    for (const what of [
      'read models/acme/bert@main',
      'write models/acme/bert@main',
      'read models/acme/open@main',
    ]) {
      const told = await ask(world, what, { as: 'cas/forge' })
      expect(gist(told)).toEqual(gist(await ask(world, what, { as: 'cas/nothing' })))
      expect((await ask(world, what, { as: world.hub.embedded.forge })).status).toBe(401)
    }
    expect((await ask(world, '/api/whoami', { as: 'cas/forge' })).json).toMatchObject({
      hubToken: { kind: 'forge' },
    })
  })

  test('are refused where they are none', async () => {
    for (const [what, question, asked, status] of mistaken) {
      expect([what, (await askForge(world, question, asked)).status]).toEqual([what, status])
    }
  })
})

// biome-ignore format: a table is read by its columns
const mistaken: readonly (readonly [what: string, question: string, asked: Asked, status: number])[] = [
  ['no header of a forge', 'decide', { body: decide, headers: { 'latchkey-forge': '' } }, 400],
  [
    'a header without start',
    'decide',
    { body: decide, headers: { 'latchkey-forge': 'f'.repeat(26) } },
    400,
  ],
  ['no JSON', 'decide', { body: '{' }, 400],
  ['no caller', 'decide', { body: { input: decide.input } }, 400],
  [
    'an account',
    'decide',
    { body: { ...decide, input: { ...decide.input, proposer: 'ada' } } },
    400,
  ],
  [
    'an account as caller',
    'decide',
    { body: { ...decide, caller: { ...askedBy, account: 'ada' } } },
    400,
  ],
  [
    'another line in the log',
    'decide',
    { body: { ...decide, caller: { ...askedBy, address: '1","x":"' } } },
    400,
  ],
  [
    'no repository',
    'decide',
    { body: { ...decide, input: { repo: 'models/../x', scope: 'read' } } },
    400,
  ],
  [
    'no ref',
    'moveRef',
    {
      body: {
        ...decide,
        operation: 'o'.repeat(26),
        input: { repo: bert, ref: 'main', from: '0'.repeat(40), to: 'a'.repeat(40) },
      },
    },
    400,
  ],
  [
    'a change without id',
    'deleteRepository',
    { body: { caller: askedBy, input: { repo: bert } } },
    400,
  ],
  [
    'too many uids',
    'deletedAmong',
    { body: { input: { uids: Array.from({ length: 1001 }, () => 'a'.repeat(26)) } } },
    400,
  ],
  ['no question', 'everything', { body: decide }, 404],
  ['no question of objects', 'toString', { body: decide }, 404],
  ['another method', 'decide', { method: 'PUT', body: decide }, 405],
  ['a body that is too long', 'decide', { body: 'x'.repeat(300 * 1024) }, 413],
  ['another type', 'decide', { body: decide, headers: { 'content-type': 'text/plain' } }, 415],
]

test('a forge asks hundreds of questions at once, and no more than its share', () => {
  const { takeSlot } = forgeLimits()
  const taken = Array.from({ length: 769 }, () => takeSlot('one'))
  expect(taken.indexOf(undefined)).toBe(768)
  expect(takeSlot('other')).toBeDefined()
})
