import { commit } from '@latchkey/testing/hub/hub-settings'
import { statementsDuring } from '@latchkey/testing/hub/statements'
import { describe, expect, test } from 'vitest'
import { askLink, bert, headOf, startLinked, uidOf } from './ask-link.ts'

describe('GET /link/v1/changes', () => {
  test('tells the removals for which a token can be in use where no number is named', async () => {
    const world = await startLinked()
    const tag = await uidOf(world, 'refs/tags/v1')
    await world.done('ref delete', { repository: bert, ref: 'dev' })
    world.passSeconds(51 * 3600)
    await world.done('ref delete', { repository: bert, ref: 'refs/tags/v1' })
    const { status, json } = await askLink(world, 'changes')
    expect(status).toBe(200)
    expect(json).toEqual({ number: expect.any(Number), removed: [tag], complete: true })
    const { last } = await world.done('changes', { limit: 1000 })
    expect(json['number']).toBe(last)
  })

  test('tells what was deleted after a number, oldest first, by uid and without a name', async () => {
    const world = await startLinked()
    const after = await headOf(world)
    const uids = [await uidOf(world, 'dev'), await uidOf(world, 'refs/tags/v1'), await uidOf(world)]
    await world.done('ref delete', { repository: bert, ref: 'dev' })
    await world.done('ref set', { repository: bert, ref: 'refs/tags/v1', commit: commit('d') })
    await world.done('repo delete', { repository: bert })
    const { json } = await askLink(world, `changes?after=${after}`)
    expect(json).toEqual({ number: await headOf(world), removed: uids, complete: true })
  })

  test('counts every other entry as nothing removed', async () => {
    const world = await startLinked()
    const after = await headOf(world)
    await world.done('ref set', { repository: bert, ref: 'main', commit: commit('e') })
    await world.done('ref set', { repository: bert, ref: 'new', from: 'main' })
    await world.done('collaborator set', { repository: bert, account: 'ada', role: 'read' })
    await world.done('collaborator delete', { repository: bert, account: 'ada' })
    await world.done('account delete', { account: 'ada' })
    const { json } = await askLink(world, `changes?after=${after}`)
    expect(json).toEqual({ number: await headOf(world), removed: [], complete: true })
    expect(json['number']).toBeGreaterThan(after)
  })

  test('looks at 250 entries an answer, and none is left out on the way', async () => {
    const world = await startLinked()
    const after = await headOf(world)
    const names = Array.from({ length: 1100 }, (_, index) => `b${index}`)
    const branches = Object.fromEntries(names.map((name) => [name, commit('a')]))
    const withBranches = (made: object) =>
      world.apply({ repositories: [{ type: 'model', id: 'acme/open', branches: made }] })
    await withBranches(branches)
    await withBranches({ main: commit('c') })
    const removed: unknown[] = []
    const pages: number[] = []
    for (let number = after, complete = false; !complete; ) {
      const { json } = await askLink(world, `changes?after=${number}`)
      const page = json['removed'] as unknown[]
      expect(page.length).toBeLessThanOrEqual(250)
      expect(Number(json['number'])).toBeGreaterThan(number)
      removed.push(...page)
      pages.push(page.length)
      number = Number(json['number'])
      complete = json['complete'] === true
    }
    // All of them, and `main`, which the first file left out.
    expect(removed).toHaveLength(1101)
    expect(new Set(removed).size).toBe(1101)
    expect(pages.length).toBeGreaterThan(1101 / 250)
  })

  test('reads the database anew for every question', async () => {
    const world = await startLinked()
    const after = await headOf(world)
    const ask = () => askLink(world, `changes?after=${after}`)
    await ask()
    const read = (await statementsDuring(ask)).filter((text) => /"journal_head"/.test(text))
    expect(read).toHaveLength(1)
  })

  test('takes the number up to which retention has removed entries', async () => {
    const world = await startLinked()
    const after = await headOf(world)
    await world.done('ref delete', { repository: bert, ref: 'dev' })
    await world.store.directory.note('journal retention', async ({ tables }) => {
      await tables.deleteFrom('journal').where('number', '<=', after).execute()
      await tables.updateTable('journal_head').set({ pruned_through: after }).execute()
    })
    const { json } = await askLink(world, `changes?after=${after}`)
    expect(json['removed']).toHaveLength(1)
  })
})

describe('POST /link/v1/epochs', () => {
  test('gives each repository that there is a higher epoch, with an entry of its own', async () => {
    const world = await startLinked()
    const after = await headOf(world)
    const [one, other] = [await uidOf(world), await uidOf(world, undefined, 'models/acme/open')]
    const body = { repositories: [one, 'a'.repeat(26), other, one, 'unknown'] }
    const told = await askLink(world, 'epochs', { body })
    expect([told.status, told.json]).toEqual([200, { raised: 2 }])
    const { items } = await world.done('changes', { after: String(after) })
    expect(items).toHaveLength(2)
    expect(items).toEqual([one, other].toSorted().map((uid) => entryFor(uid, 'cas')))
  })

  test('raises again what was raised before', async () => {
    const world = await startLinked()
    const repositories = [await uidOf(world)]
    const epochs: number[] = []
    for (let time = 0; time < 3; time += 1) {
      await askLink(world, 'epochs', { body: { repositories } })
      const rows = await world.store.readBeside((tables) =>
        tables.selectFrom('repositories').select('epoch').where('path', '=', bert).execute(),
      )
      epochs.push(rows[0]?.epoch ?? 0)
    }
    expect(epochs).toEqual([...new Set(epochs)].toSorted((one, two) => one - two))
  })

  test('of the embedded storage is in the journal under the user of the process', async () => {
    const world = await startLinked()
    const after = await headOf(world)
    const body = { repositories: [await uidOf(world)] }
    await askLink(world, 'epochs', { body, as: world.hub.embedded.credential })
    const { items } = await world.done('changes', { after: String(after) })
    expect(items).toMatchObject([{ verb: 'link raise-epoch', actor: { user: expect.any(String) } }])
    expect(JSON.stringify(items)).not.toContain('accountId')
  })
})

function entryFor(uid: string, account: string): object {
  return expect.objectContaining({
    verb: 'link raise-epoch',
    thing: 'repository',
    did: 'changed',
    narrows: false,
    repositoryUid: uid,
    actor: expect.objectContaining({ account }),
  })
}

describe('POST /link/v1/places', () => {
  test('tells which uids are no repository, ref or commit, each once and in their order', async () => {
    const world = await startLinked()
    const { uid: commitUid } = await world.store.readBeside((tables) =>
      tables.selectFrom('commits').select('uid').executeTakeFirstOrThrow(),
    )
    const known = [await uidOf(world), await uidOf(world, 'main'), commitUid]
    const gone = await uidOf(world, 'dev')
    await world.done('ref delete', { repository: bert, ref: 'dev' })
    const body = { uids: ['x', ...known, gone, 'x', `${known[1]}.part`] }
    const { status, json } = await askLink(world, 'places', { body })
    expect([status, json]).toEqual([200, { unknown: ['x', gone, `${known[1]}.part`] }])
  })

  test('takes a thousand uids', async () => {
    const world = await startLinked()
    const uids = Array.from({ length: 1000 }, (_, index) => `u${index}`)
    const { json } = await askLink(world, 'places', { body: { uids } })
    expect(json['unknown']).toEqual(uids)
  })
})
