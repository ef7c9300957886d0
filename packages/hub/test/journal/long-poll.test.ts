/** `GET /admin/v1/changes?wait=…` at a running hub: it answers when something changes, and not for longer than it must. */

import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, beforeEach, expect, test } from 'vitest'

const file = {
  accounts: [
    { name: 'root', administrator: true },
    { name: 'second', administrator: true },
    { name: 'ada' },
  ],
  namespaces: [{ name: 'acme' }],
  repositories: [
    { type: 'model', id: 'acme/bert' },
    { type: 'model', id: 'acme/other' },
  ],
  hubTokens: [
    { account: 'root', name: 'all', kind: 'admin' },
    { account: 'root', name: 'reader', kind: 'admin', adminScopes: ['changes'] },
    { account: 'root', name: 'other', kind: 'admin', adminScopes: ['account'] },
    { account: 'second', name: 'all', kind: 'admin' },
  ],
}

interface Answer {
  readonly status: number
  readonly items: readonly {
    readonly verb: string
    readonly did: string
    readonly account?: string
  }[]
  readonly last: number
}

let world: World
beforeEach(async () => {
  world = await startWorld(file, { stopDeadlineSeconds: 600 })
})
afterEach(() => world.close())

async function changes(query: string, as = 'root/reader'): Promise<Answer> {
  const token = world.tokens[as]?.reveal() ?? ''
  const answer = await fetch(`${world.hub.url}/admin/v1/changes?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return { status: answer.status, ...((await answer.json()) as Omit<Answer, 'status'>) }
}

function firstTwo(answers: readonly Promise<Answer>[]): Promise<readonly Answer[]> {
  const first: Answer[] = []
  return new Promise((resolve, reject) => {
    for (const answer of answers) {
      answer.then((each) => first.push(each) === 2 && resolve([...first]), reject)
    }
  })
}

async function lastNumber(): Promise<number> {
  return (await changes('limit=1000')).last
}

test('a question with nothing to answer is answered at once, unless it waits', async () => {
  const last = await lastNumber()
  expect(await changes(`after=${last}`)).toMatchObject({ status: 200, items: [], last })
})

test('a question that waits is answered by the next change', async () => {
  const waiting = changes(`after=${await lastNumber()}&wait=60`)
  await world.done('account set', { account: 'ada', disabled: true })
  const { items, last } = await waiting
  expect(items).toMatchObject([{ verb: 'account set', did: 'changed', account: 'ada' }])
  expect(last).toBe(await lastNumber())
})

test('changes that do not concern the question do not answer it', async () => {
  const after = await lastNumber()
  const waiting = changes(`after=${after}&wait=60&repository=models/acme/bert`)
  await world.done('repo set', { repository: 'models/acme/other', visibility: 'public' })
  await world.done('repo set', { repository: 'models/acme/bert', visibility: 'public' })
  expect((await waiting).items).toMatchObject([
    { verb: 'repo set', repository: 'models/acme/bert' },
  ])
})

test('questions beyond eight of one account are answered empty, whatever hub tokens it uses; the eight and another account wait on', async () => {
  const query = `after=${await lastNumber()}&wait=60`
  const ofOne = Array.from({ length: 10 }, (_, at) =>
    changes(query, at % 2 === 0 ? 'root/reader' : 'root/all'),
  )
  const ofAnother = changes(query, 'second/all')
  // The hub answers two of them before anything has changed.
  const empty = await firstTwo(ofOne)
  expect(empty).toMatchObject([{ items: [] }, { items: [] }])
  await world.done('account set', { account: 'ada', disabled: true })
  const lengths = (await Promise.all([...ofOne, ofAnother])).map(({ items }) => items.length)
  expect(lengths.toSorted()).toEqual([0, 0, ...Array.from({ length: 9 }, () => 1)])
  expect((await ofAnother).items).toHaveLength(1)
})

test('a hub token that is revoked meanwhile is refused at the next change', async () => {
  const after = await lastNumber()
  const waiting = changes(`after=${after}&wait=60&account=nobody`)
  const { items } = (await world.done('hub-token list', { account: 'root' })) as {
    items: readonly { id: string; name: string }[]
  }
  const id = items.find(({ name }) => name === 'reader')?.id
  await world.done('hub-token revoke', { hubToken: id })
  expect((await waiting).status).toBe(401)
})

test('an account that is no administrator any more is refused at the next change', async () => {
  await world.done('account create', { name: 'other', administrator: true })
  const after = await lastNumber()
  const waiting = changes(`after=${after}&wait=60&account=nobody`)
  await world.done('account set', { account: 'root', administrator: false })
  expect((await waiting).status).toBe(403)
})

test('a hub that stops answers those who wait, and is not kept by them', async () => {
  const last = await lastNumber()
  const waiting = changes(`after=${last}&wait=60`)
  // The hub has begun to work on it when its answer to a later question of the same kind is there.
  await changes(`after=${last}`)
  const stopped = world.hub.stop()
  const { status, items } = await waiting
  expect([200, 503]).toContain(status)
  if (status === 200) expect(items).toEqual([])
  await stopped
})

test.each(['wait=61', 'wait=-1', 'wait=soon', 'after=yesterday', 'limit=0'])(
  '%s is refused with the reason',
  async (query) => {
    expect((await changes(query)).status).toBe(400)
  },
)

test('the journal is read with the verb group "changes", or without limits', async () => {
  expect((await changes('limit=1', 'root/all')).status).toBe(200)
  expect((await changes('limit=1', 'root/other')).status).toBe(403)
})
