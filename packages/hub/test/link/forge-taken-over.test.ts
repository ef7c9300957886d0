/** What somebody gets who has taken a forge over: its credential, tickets, and what passes. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { callerInputs, changeInputs } from '@latchkey/admin-api'
import { Secret, type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import type { World } from '@latchkey/testing/hub/world'
import { expect, test } from 'vitest'
import { parseMasterKey } from '../../src/keys/master-key.ts'
import { tickets } from '../../src/link/tickets.ts'
import { askedBy, askForge, bert, startForgeLinked, uidOf } from './ask-link.ts'

const noHash = '0'.repeat(40)
const hash = 'a'.repeat(40)
const ref = { repo: bert, ref: 'refs/heads/dev' }

/** One of each question and change, about a private repository. */
async function everyQuestion(world: World): Promise<Readonly<Record<string, object>>> {
  const [uid, refUid] = [await uidOf(world), await uidOf(world, 'dev')]
  return {
    admit: {},
    visitor: {},
    whoami: {},
    decide: { repo: bert, revision: 'main', scope: 'read' },
    describe: { uid },
    storageToken: { repo: bert, revision: 'main', scope: 'read' },
    refs: { repo: bert },
    repositories: { type: 'model', limit: 10 },
    newRef: { repo: bert, ref: 'refs/heads/new' },
    dependents: ref,
    mayForce: ref,
    openUpload: { repo: bert, revision: 'main', scope: 'read' },
    uploadTokens: { repo: bert },
    createRepository: { repo: 'models/acme/new', visibility: 'public' },
    deleteRepository: { repo: bert },
    moveRef: { ...ref, from: 'b'.repeat(40), to: hash },
    deleteRef: { ...ref, from: 'b'.repeat(40), refUid, savedCommits: [], savedRefs: [] },
  }
}

let changes = 0

function ask(world: World, question: string, input: object, caller: object = {}) {
  const operation =
    question in changeInputs
      ? {
          operation: `${'o'.repeat(24)}${'abcdefghij'[changes++ % 10]}${'abcdefghij'[Math.floor(changes / 10)]}`,
        }
      : {}
  return askForge(world, question, {
    body: { caller: { ...askedBy, ...caller }, ...operation, input },
  })
}

/** What the hub answered: `yes`, or the code of its refusal. */
async function outcomeOf(...asked: Parameters<typeof ask>): Promise<unknown> {
  const { status, json } = await ask(...asked)
  expect([asked[1], status]).toEqual([asked[1], 200])
  const { refusal, result } = json as { refusal?: { code: string }; result?: unknown }
  return (
    refusal?.code ??
    (result === undefined || result === null || String(result) === '' ? 'nothing' : 'yes')
  )
}

function altered(text: string, at: number): string {
  return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`
}

const linesOf = async (world: World) =>
  (await world.done('changes', { limit: 1000 }))['items'] as unknown[]

test('the credential of the forge alone answers no question about content and changes nothing', async () => {
  const world = await startForgeLinked()
  const questions = await everyQuestion(world)
  expect(Object.keys(questions)).toEqual(Object.keys({ ...callerInputs, ...changeInputs }))
  const before = await linesOf(world)
  const credential = world.hub.embedded.forge.reveal()
  for (const authorization of [
    [],
    [`Bearer ${credential}`],
    [`Bearer ${world.tokens['cas/forge']?.reveal()}`],
  ]) {
    for (const [question, input] of Object.entries(questions)) {
      const { json } = await ask(world, question, input, { authorization })
      const { refusal, result = null } = json as { refusal?: { code: string }; result?: unknown }
      const page = Object(result).repositories
      const isNothing =
        refusal !== undefined || result === null || String(result) === '' || String(page) === ''
      const isOwnName = question === 'whoami' || question === 'visitor' || question === 'admit'
      expect([
        question,
        authorization.length,
        isNothing || (isOwnName && authorization.length > 0),
      ]).toEqual([question, authorization.length, true])
    }
  }
  expect(await linesOf(world)).toEqual(before)
})

async function openSession(world: World): Promise<string> {
  const token = world.tokens['ada/write']?.reveal() ?? ''
  const opened = await fetch(`${world.hub.url}/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: world.settings.publicUrl,
      'sec-fetch-site': 'same-origin',
    },
    body: new URLSearchParams({ token }).toString(),
  })
  return /=(lks_\w+)/.exec(opened.headers.get('set-cookie') ?? '')?.[1] ?? ''
}

function ticketsOf(world: World) {
  const key = parseMasterKey(readFileSync(join(world.settings.data, 'master.key'), 'utf8'))
  if (key === undefined) throw new Error('the hub has no master key')
  return tickets(key, pooledRandom())
}

test('a ticket shows content for a minute, and neither changes nor writes anything', async () => {
  const world = await startForgeLinked()
  const session = await openSession(world)
  expect(session).toMatch(/^lks_/)
  const ticketAt = (now: UnixSeconds) =>
    ticketsOf(world).make(new Secret('hub-token', session), now)
  const ticket = ticketAt(world.now())
  const questions = await everyQuestion(world)
  const before = await linesOf(world)
  const shown = new Set(['visitor', 'decide', 'describe', 'storageToken', 'refs', 'repositories'])
  for (const [question, input] of Object.entries(questions)) {
    const wanted = shown.has(question)
      ? 'yes'
      : question === 'uploadTokens'
        ? 'nothing'
        : 'permission_denied'
    expect([question, await outcomeOf(world, question, input, { ticket })]).toEqual([
      question,
      wanted,
    ])
  }
  for (const question of ['decide', 'storageToken']) {
    const input = { ...questions[question], scope: 'write' }
    expect(await outcomeOf(world, question, input, { ticket })).toBe('permission_denied')
  }
  const without = { ...questions['storageToken'], without: await uidOf(world, 'dev') }
  expect(await outcomeOf(world, 'storageToken', without, { ticket })).toBe('permission_denied')
  expect((await ask(world, 'visitor', {}, { ticket })).json).toMatchObject({ result: 'ada' })
  expect(await linesOf(world)).toEqual(before)

  // The session itself is no credential here, and no altered, ended or foreign ticket is one.
  const read = questions['decide'] ?? {}
  expect(await outcomeOf(world, 'decide', read, { authorization: [`Bearer ${session}`] })).toBe(
    'hub_token_invalid',
  )
  const bad = [
    altered(ticket, 5),
    altered(ticket, 40),
    altered(ticket, ticket.length - 5),
    session,
    ticketAt(unixSeconds(world.now() + 3600)),
    '',
  ]
  for (const other of bad) {
    expect(await outcomeOf(world, 'decide', read, { ticket: other })).toBe('hub_token_invalid')
    expect(await outcomeOf(world, 'visitor', {}, { ticket: other })).toBe('nothing')
  }
  world.passSeconds(60)
  expect(await outcomeOf(world, 'decide', read, { ticket })).toBe('hub_token_invalid')
})

test('no answer holds a key, a session or a hub token, and no line of the log holds a ticket', async () => {
  const world = await startForgeLinked()
  const session = await openSession(world)
  const ticket = ticketsOf(world).make(new Secret('hub-token', session), world.now())
  const hubToken = world.tokens['ada/write']?.reveal() ?? ''
  const texts: string[] = []
  for (const [question, input] of Object.entries(await everyQuestion(world))) {
    for (const caller of [{ ticket }, { authorization: [`Bearer ${hubToken}`] }]) {
      texts.push(JSON.stringify((await ask(world, question, input, caller)).json))
    }
  }
  const masterKey = readFileSync(join(world.settings.data, 'master.key'), 'utf8').trim()
  for (const secret of [session, hubToken, masterKey, world.hub.embedded.forge.reveal()]) {
    expect(texts.join('\n')).not.toContain(secret.slice(4, 30))
  }
  expect(texts.join('\n')).not.toContain('lks_')
  for (const secret of [session, ticket, hubToken]) {
    expect(world.logLines.join('\n')).not.toContain(secret.slice(4, 40))
  }
})

test('a forge that says that it proposes writes no branch, and no pull request of another account', async () => {
  const world = await startForgeLinked()
  await world.apply({ namespaces: [{ name: 'acme', members: { ada: 'read', cas: 'admin' } }] })
  const reader = { authorization: [`Bearer ${world.tokens['ada/write']?.reveal()}`] }
  const writer = { authorization: [`Bearer ${world.tokens['cas/write']?.reveal()}`] }
  const branch = { repo: bert, ref: 'refs/heads/mine', asProposer: true }
  expect(await outcomeOf(world, 'newRef', branch, reader)).toBe('permission_denied')
  const move = { from: noHash, to: hash, isNew: true, refUid: 'n'.repeat(26) }
  expect(await outcomeOf(world, 'moveRef', { ...branch, ...move }, reader)).toBe(
    'permission_denied',
  )

  const proposal = { repo: bert, ref: 'refs/pr/1', asProposer: true }
  expect(await outcomeOf(world, 'moveRef', { ...proposal, ...move }, writer)).toBe('nothing')
  const next = { ...proposal, from: hash, to: 'b'.repeat(40) }
  expect(await outcomeOf(world, 'moveRef', next, reader)).toBe('permission_denied')
  const own = { ...proposal, ref: 'refs/pr/2' }
  expect(
    await outcomeOf(world, 'moveRef', { ...own, ...move, refUid: 'p'.repeat(26) }, reader),
  ).toBe('nothing')
  const write = { repo: bert, revision: 'refs/pr/2', scope: 'write' }
  expect(await outcomeOf(world, 'decide', write, reader)).toBe('yes')
  expect(await outcomeOf(world, 'decide', { ...write, revision: 'refs/pr/1' }, reader)).toBe(
    'permission_denied',
  )
  expect(
    await outcomeOf(
      world,
      'moveRef',
      { repo: bert, ref: 'refs/pr/2', from: hash, to: 'b'.repeat(40) },
      reader,
    ),
  ).toBe('nothing')
})
