/** What was deleted stays in the journal; only administrators who ask for it are told. */

import { acme } from '@latchkey/testing/hub/acme'
import { ask } from '@latchkey/testing/hub/ask'
import { startWorld } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { explain } from '../../src/verbs/explain.ts'
import type { TestStoreOptions, WhenOver } from '../stores/test-store.ts'
import { administrator, hash, type Opened, openDirectory } from '../verbs/open-directory.ts'

const repository = 'models/acme/bert'
const moment = Date.UTC(2027, 0, 20)

/** Deleted by "root", all at the same moment: an account, a ref and a repository. */
async function withPast(options: TestStoreOptions = {}, whenOver?: WhenOver) {
  const directory = await openDirectory(options, whenOver)
  const { done } = directory
  await directory.apply({
    accounts: [{ name: 'ada' }, { name: 'bob' }],
    namespaces: [{ name: 'acme', members: { ada: 'write' } }],
    repositories: [
      { type: 'model', id: 'acme/bert', branches: { main: hash(1), dev: hash(2) } },
      { type: 'model', id: 'acme/gone', branches: { main: hash(1) } },
    ],
    hubTokens: [{ account: 'bob', name: 'laptop', kind: 'read' }],
  })
  directory.actor = administrator()
  await done('account delete', { account: 'bob' })
  await done('ref delete', { repository, ref: 'dev' })
  await done('repo delete', { repository: 'models/acme/gone' })
  return directory
}

/** Deleted at a moment that is known. */
const atMoment = { nowMs: () => moment }

/** For tests that only read. */
let past: Opened
beforeAll(async () => {
  past = await withPast(atMoment, afterAll)
})

const byRoot = expect.stringMatching(
  /^\S+ was removed by "root" at 2027-01-20T00:00:00\.000Z \(\w+ delete, journal \d+\)$/,
)

describe('the journal keeps', () => {
  test('what happened to an account that is gone, and what happened to its hub tokens', async () => {
    const { done } = past
    const { items } = await done('changes', { account: 'bob' })
    expect(items).toMatchObject([
      { thing: 'account', did: 'created', account: 'bob' },
      { thing: 'hub-token', did: 'created', account: 'bob' },
      { thing: 'account', did: 'deleted', account: 'bob', actor: { account: 'root' } },
    ])
  })

  test('what happened to a repository that is gone, its refs and its commits', async () => {
    const { done } = past
    const { items } = await done('changes', { repository: 'models/acme/gone' })
    expect(items).toMatchObject([
      { thing: 'repository', did: 'created' },
      { thing: 'ref', did: 'created', ref: 'refs/heads/main' },
      { thing: 'commit', did: 'recorded', ref: hash(1) },
      { thing: 'repository', did: 'deleted', before: { path: 'models/acme/gone' } },
    ])
  })

  test('what happened to a ref that is gone', async () => {
    const { done } = past
    const { items } = (await done('changes', { repository })) as { items: { ref?: string }[] }
    expect(items.filter(({ ref }) => ref === 'refs/heads/dev')).toMatchObject([
      { did: 'created', after: { commit: hash(2) } },
      { did: 'deleted', before: { commit: hash(2) }, verb: 'ref delete' },
    ])
  })
})

describe('explain says who removed, and when,', () => {
  const question = { scope: 'read', repository, account: 'ada' }

  test('an account', async () => {
    const { run } = past
    const { detail, ...refusal } = await run('explain', { ...question, account: 'bob' })
    expect(refusal).toMatchObject({ code: 'resource_not_found' })
    expect(detail).toMatch(/^The account "bob" was removed by "root" at 2027-01-20T00:00:00/)
  })

  test('a repository', async () => {
    const { run } = past
    const gone = { ...question, repository: 'models/acme/gone' }
    const answer = await run('explain', gone)
    expect(answer).toMatchObject({ allowed: false, code: 'repository_not_found' })
    expect(stepsOf(answer).at(-1)).toEqual({ step: 'history', passed: false, detail: byRoot })
  })

  test.each(['dev', 'refs/heads/dev'])('a ref asked for as %s', async (revision) => {
    const { run } = past
    const answer = await run('explain', { ...question, revision })
    expect(answer).toMatchObject({ allowed: false, code: 'revision_not_found' })
    expect(stepsOf(answer).at(-1)).toEqual({ step: 'history', passed: false, detail: byRoot })
  })

  test('the default branch', async () => {
    const { run, done } = await withPast(atMoment)
    await done('ref delete', { repository, ref: 'main' })
    expect(stepsOf(await run('explain', question)).at(-1)?.detail).toEqual(byRoot)
  })

  test('and of several removals the last', async () => {
    const { directory, run, done } = await withPast().then((directory) => ({
      ...directory,
      directory,
    }))
    await done('ref set', { repository, ref: 'dev', commit: hash(3) })
    directory.actor = { ...administrator(), accountName: 'eve' }
    await done('ref delete', { repository, ref: 'dev' })
    const answer = await run('explain', { ...question, revision: 'dev' })
    expect(stepsOf(answer).at(-1)?.detail).toContain('was removed by "eve"')
  })

  test('to an admin hub token with the verb group "changes", and to no other limited one', async () => {
    const directory = await withPast()
    const questions = [
      { ...question, account: 'bob' },
      { ...question, repository: 'models/acme/gone' },
      { ...question, revision: 'dev' },
    ]
    const answersAs = async (adminScopes?: readonly string[]) => {
      directory.actor = administrator(adminScopes)
      return Promise.all(questions.map((each) => directory.run('explain', each)))
    }
    const told = await answersAs()
    expect(told.every((answer) => JSON.stringify(answer).includes('was removed by'))).toBe(true)
    expect(await answersAs(['explain', 'changes'])).toEqual(told)
    expect(await answersAs(['apply'])).toEqual(told)

    const untold = await answersAs(['explain', 'account', 'repository', 'keys'])
    expect(JSON.stringify(untold)).not.toMatch(/removed|history/)
    const never = { ...question, account: 'xyz' }
    const renamed = JSON.stringify(untold[0]).replaceAll('bob', 'xyz')
    expect(renamed).toBe(JSON.stringify(await directory.run('explain', never)))
  })

  test('nothing about a repository that is there again and hidden', async () => {
    const directory = await withPast()
    const { store, done, work } = directory
    await done('repo create', { repository: 'models/acme/gone' })
    await done('account create', { name: 'eve' })
    const answer = await store.directory.change((transaction) => {
      const policy = { hidePrivateRepositories: true }
      const repo = { type: 'model', namespace: 'acme', name: 'gone' } as const
      const asked = { scope: 'read', repository: repo, account: 'eve' } as const
      return explain({ ...work(transaction), policy }, asked)
    })
    expect(answer).toMatchObject({ code: 'repository_not_found' })
    expect(JSON.stringify(answer)).not.toContain('removed')
  })

  test('nothing about what is there', async () => {
    const { run, done } = await withPast()
    await done('ref set', { repository, ref: 'dev', commit: hash(3) })
    const allowed = await run('explain', { ...question, revision: 'dev' })
    expect(allowed).toMatchObject({ allowed: true })
    const never = await run('explain', { ...question, revision: 'never' })
    expect(JSON.stringify([allowed, never])).not.toContain('removed')
  })
})

test('every other verb says the same of what is gone as of what never was', async () => {
  const { run } = past
  const pairs: [string, object, object][] = [
    ['account show', { account: 'bob' }, { account: 'xyz' }],
    ['repo show', { repository: 'models/acme/gone' }, { repository: 'models/acme/xyz' }],
    ['ref show', { repository, ref: 'dev' }, { repository, ref: 'xyz' }],
  ]
  for (const [words, gone, never] of pairs) {
    const [told, toldOfNever] = [await run(words, gone), await run(words, never)]
    const renamed = JSON.stringify(told).replaceAll(/\b(?:bob|gone|dev)\b/g, 'xyz')
    expect(renamed).toBe(JSON.stringify(toldOfNever))
  }
})

test('a token request is answered for what is gone as for what never was', async () => {
  const world = await startWorld(acme)
  onTestFinished(() => world.close())
  const answers = async (what: string) => {
    const { status, headers, json } = await ask(world, what, { as: 'writer/write' })
    const { requestId, ...body } = json
    const { date, 'x-request-id': id, ...told } = Object.fromEntries(headers)
    return { status, body, told }
  }
  const never = [
    await answers('read models/acme/never@main'),
    await answers('write models/acme/bert@never'),
  ]
  await world.done('ref delete', { repository, ref: 'dev' })
  await world.done('repo delete', { repository: 'models/acme/open' })
  const gone = [
    await answers('read models/acme/open@main'),
    await answers('write models/acme/bert@dev'),
  ]
  expect(never.map(({ status }) => status)).toEqual([404, 404])
  expect(gone).toEqual(never)
})

interface Shown {
  readonly step: string
  readonly detail: string
}

function stepsOf(answer: Readonly<Record<string, unknown>>): readonly Shown[] {
  return answer['steps'] as Shown[]
}
