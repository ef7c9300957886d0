/** A storage learns the quotas of its repositories and their namespaces, at first in pages, then with the journal. */

import { parseStorageName } from '@latchkey/protocol'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { beforeEach, expect, test } from 'vitest'
import { maxRepositories } from '../../src/link/quota-states.ts'
import { askLink, bert, headOf, startLinked, uidOf } from './ask-link.ts'

const eu = parseStorageName('eu') ?? expect.unreachable()
const far = 'models/acme/far'
const asEu = { as: 'cas/eu' }

let world: Awaited<ReturnType<typeof startLinked>>
beforeEach(async () => {
  world = await startLinked({ storages: [{ name: eu, casUrl: 'https://eu.example/{repo}/{ref}' }] })
  await world.apply({
    repositories: [
      { type: 'model', id: 'acme/far', storage: 'eu', branches: { main: commit('a') } },
    ],
    hubTokens: [{ account: 'cas', name: 'eu', kind: 'storage', storage: 'eu' }],
  })
})

async function idOf(namespace = 'acme'): Promise<unknown> {
  return (await world.done('namespace show', { namespace }))['id']
}

async function changedSince(after: number, asked = {}) {
  const { json } = await askLink(world, `changes?after=${after}`, asked)
  return json['quotas']
}

test('a changed quota comes with the journal, by ids and without a name', async () => {
  const after = await headOf(world)
  await world.done('namespace set', { namespace: 'acme', quota: '1TB' })
  await world.done('repo set', { repository: bert, quota: '5GB' })
  const [namespace, repository] = [await idOf(), await uidOf(world)]
  expect(await changedSince(after)).toEqual({
    number: await headOf(world),
    repositories: [{ repository, namespace, bytes: 5e9 }],
    namespaces: [{ namespace, bytes: 1e12 }],
  })
  await world.done('ref set', { repository: bert, ref: 'new', from: 'main' })
  expect(await changedSince((await headOf(world)) - 1)).toBeUndefined()
})

test('each storage learns of its own repositories alone, and of one that moves', async () => {
  const after = await headOf(world)
  await world.done('repo set', { repository: far, quota: '5GB' })
  expect(await changedSince(after)).toBeUndefined()
  const [namespace, repository] = [await idOf(), await uidOf(world, undefined, far)]
  const known = { repositories: [{ repository, namespace, bytes: 5e9 }] }
  expect(await changedSince(after, asEu)).toMatchObject(known)
  await world.done('repo move-storage', { repository: far, to: 'default', step: 'close' })
  expect(await changedSince(after)).toMatchObject(known)
  expect((await askLink(world, 'quotas')).json).toMatchObject({
    repositories: expect.arrayContaining(known.repositories),
  })
  expect((await askLink(world, 'quotas', asEu)).json).toMatchObject(known)
})

test('all repositories of a storage come in pages, each once', async () => {
  const ids = Array.from({ length: maxRepositories + 5 }, (_, at) => `many/r${at}`)
  await world.apply({
    namespaces: [{ name: 'many', quota: '2TB' }],
    repositories: ids.map((id) => ({ type: 'model', id, quota: '1kB' })),
  })
  const seen: unknown[] = []
  const lengths: number[] = []
  for (let next: unknown; ; ) {
    const { json } = await askLink(world, next === undefined ? 'quotas' : `quotas?after=${next}`)
    const own = json['repositories'] as { repository: string; namespace: unknown }[]
    lengths.push(own.length)
    const many = await idOf('many')
    for (const one of own) if (one.namespace === many) seen.push(one.repository)
    expect(json['namespaces']).toContainEqual({ namespace: many, bytes: 2e12 })
    next = json['next']
    if (next === undefined) break
  }
  expect(lengths).toHaveLength(2)
  expect(lengths[0]).toBe(maxRepositories)
  expect(new Set(seen).size).toBe(ids.length)
})

test('the question for quotas needs the hub token of a storage', async () => {
  expect((await askLink(world, 'quotas', { as: 'ada/write' })).status).toBe(403)
  expect((await askLink(world, 'quotas?after=')).status).toBe(400)
})
