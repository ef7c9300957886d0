/** The storage of a repository: chosen when it is created, kept from then on. */

import { parseStorageName } from '@latchkey/protocol'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const eu = parseStorageName('eu') ?? expect.unreachable()

let world: World
beforeAll(async () => {
  const file = {
    accounts: [{ name: 'ada', administrator: true }],
    namespaces: [{ name: 'acme' }],
  }
  world = await startWorld(file, {
    storages: [{ name: eu, casUrl: 'https://eu.example/{repo}/{ref}' }],
  })
})
afterAll(() => world.close())

describe('a new repository is recorded', () => {
  test('on the storage that its creation names, on that of its namespace, or on the default one', async () => {
    const { done } = world
    expect(await done('repo create', { repository: 'models/acme/a' })).toMatchObject({
      storage: 'default',
    })
    const named = { repository: 'models/acme/b', storage: 'eu' }
    expect(await done('repo create', named)).toMatchObject({ storage: 'eu' })
    await done('namespace create', { name: 'europe', storage: 'eu' })
    expect(await done('repo create', { repository: 'models/europe/c' })).toMatchObject({
      storage: 'eu',
    })
    const back = { repository: 'models/europe/d', storage: 'default' }
    expect(await done('repo create', back)).toMatchObject({ storage: 'default' })
    expect(await done('repo show', { repository: 'models/acme/b' })).toMatchObject({
      storage: 'eu',
    })
  })

  test('and a namespace that changes its storage changes no repository', async () => {
    const { done } = world
    await done('namespace create', { name: 'later' })
    await done('repo create', { repository: 'models/later/old' })
    const changed = await done('namespace set', { namespace: 'later', storage: 'eu' })
    expect(changed).toMatchObject({ storage: 'eu' })
    const storageOf = async (repository: string) =>
      (await done('repo show', { repository }))['storage']
    await done('repo create', { repository: 'models/later/new' })
    expect(await storageOf('models/later/old')).toBe('default')
    expect(await storageOf('models/later/new')).toBe('eu')
    await done('repo set', { repository: 'models/later/new', visibility: 'public' })
    expect(await storageOf('models/later/new')).toBe('eu')
  })

  test('by a file as by commands; a file moves none', async () => {
    const repository = { type: 'model', id: 'filed/one' }
    const file = { namespaces: [{ name: 'filed', storage: 'eu' }], repositories: [repository] }
    await world.apply(file)
    await world.apply(file)
    const shown = await world.done('repo show', { repository: 'models/filed/one' })
    expect(shown).toMatchObject({ storage: 'eu' })
    const move = world.apply({ repositories: [{ ...repository, storage: 'default' }] })
    await expect(move).rejects.toThrow(
      /repositories\[0\]\.storage .*a repository keeps its storage/,
    )
  })
})

describe('a storage that the hub does not have', () => {
  test.each([
    ['repo create', { repository: 'models/acme/x', storage: 'us' }],
    ['namespace create', { name: 'x', storage: 'us' }],
    ['namespace set', { namespace: 'acme', storage: 'us' }],
    ['hub-token create', { account: 'ada', name: 'x', kind: 'storage', storage: 'us' }],
    ['apply', { file: { namespaces: [{ name: 'acme', storage: 'us' }] } }],
    ['apply', { file: { repositories: [{ type: 'model', id: 'acme/x', storage: 'us' }] } }],
    [
      'apply',
      {
        file: { hubTokens: [{ account: 'ada', name: 'x', kind: 'storage', storage: 'us' }] },
      },
    ],
  ])('is named by no %s', async (words, input) => {
    await expect(world.done(words, input)).rejects.toThrow(/no storage "us"; it has default, eu/)
  })

  test.each(['Eu', '', '-eu', 'eu-', 'e'.repeat(33), '1eu', 'e u'])(
    'cannot be called %j',
    async (storage) => {
      const create = world.done('repo create', { repository: 'models/acme/x', storage })
      await expect(create).rejects.toThrow(/must be the name of a storage/)
    },
  )
})

describe('a move to another storage', () => {
  const repository = 'models/acme/moving'
  const step = (name: string, more: object = {}) =>
    world.done('repo move-storage', { repository, to: 'eu', step: name, ...more })

  test('is switched by the run that closed uploads last, and by no other', async () => {
    const { uid } = await world.done('repo create', { repository })
    await expect(step('switch')).rejects.toThrow(/already|not closed/)
    const { movesNumber: earlier } = await step('close')
    const { movesNumber } = await step('close')
    await expect(step('switch', { movesNumber: earlier })).rejects.toThrow(/Another run/)
    await expect(step('switch')).rejects.toThrow(/Another run/)
    const other = { repository, to: 'default', step: 'cancel' }
    await expect(world.done('repo move-storage', other)).rejects.toThrow(/moves to "eu"/)
    expect(await world.done('repo show', { repository })).toMatchObject({
      storage: 'default',
      movesTo: 'eu',
    })
    expect(await step('switch', { movesNumber })).toMatchObject({
      storage: 'eu',
      sourceAudience: 'https://cas.example/r',
      targetAudience: 'https://eu.example',
    })
    const revoked = await world.store.directory.read((tables) =>
      tables.selectFrom('cut_offs').selectAll().where('id', '=', String(uid)).execute(),
    )
    expect(revoked).toMatchObject([{ kind: 'repository' }])
  })

  test('is cancelled without a trace, and needs a storage that the hub has', async () => {
    const back = { repository, to: 'default' }
    await world.done('repo move-storage', { ...back, step: 'close' })
    const { movesNumber, ...left } = await world.done('repo move-storage', {
      ...back,
      step: 'cancel',
    })
    expect([movesNumber, left['movesTo'], left['storage']]).toEqual([undefined, undefined, 'eu'])
    const nowhere = { repository, to: 'us', step: 'close' }
    await expect(world.done('repo move-storage', nowhere)).rejects.toThrow(/no storage "us"/)
  })
})

test('explain says on which storage the content is', async () => {
  const { done } = world
  await done('repo create', { repository: 'models/acme/explained', storage: 'eu' })
  const ask = { scope: 'read', repository: 'models/acme/explained', account: 'ada' }
  await done('member set', { namespace: 'acme', account: 'ada', role: 'read' })
  const explained = await done('explain', ask)
  expect(explained).toMatchObject({ allowed: true })
  const step = { step: 'storage', passed: true, detail: 'the content is on the storage "eu"' }
  expect(explained['steps']).toContainEqual(step)
})

describe('a hub token of kind storage', () => {
  test('is for one storage, for good', async () => {
    const { done } = world
    const plain = { account: 'ada', name: 'plain', kind: 'storage' }
    expect(await done('hub-token create', plain)).toMatchObject({ storage: 'default' })
    const named = { account: 'ada', name: 'named', kind: 'storage', storage: 'eu' }
    const { id } = await done('hub-token create', named)
    expect(await done('hub-token show', { hubToken: id })).toMatchObject({ storage: 'eu' })
    await world.apply({ hubTokens: [named] })
    const other = world.apply({ hubTokens: [{ ...named, storage: 'default' }] })
    await expect(other).rejects.toThrow(/is for the storage "eu", which can never change/)
  })

  test('is the only kind that names one', async () => {
    const wrong = { account: 'ada', name: 'w', kind: 'write', storage: 'eu' }
    await expect(world.done('hub-token create', wrong)).rejects.toThrow(/Only hub tokens of kind/)
  })
})
