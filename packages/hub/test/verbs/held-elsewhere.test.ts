/** A repository that another service holds keeps every ref whose content something may need; others are deleted as ever. */

import { asRepositoryUid } from '@latchkey/protocol'
import { beforeEach, expect, test } from 'vitest'
import { markAsHeld, unmarkHeld } from '../../src/verbs/refuse-losing.ts'
import { hash, type Opened, openDirectory } from './open-directory.ts'

const repository = 'models/acme/bert'
let directory: Opened
beforeEach(async () => {
  directory = await openDirectory()
  await directory.done('namespace create', { name: 'acme' })
  await directory.done('repo create', { repository })
  await directory.done('ref set', { repository, ref: 'main', commit: hash('a') })
})

const uid = async () =>
  asRepositoryUid(String((await directory.done('repo show', { repository }))['uid']))
const hold = async () => markAsHeld(directory.store.directory, [await uid()])
const set = (ref: string, more: object) => directory.done('ref set', { repository, ref, ...more })
const remove = (ref: string) => directory.run('ref delete', { repository, ref })
const keep = (branches: object) =>
  directory.apply({ repositories: [{ type: 'model', id: 'acme/bert', branches }] })
const lost = (what: string) => ({ code: 'conflict', detail: expect.stringMatching(what) })

test('a branch stays while a commit on record was its own, or a fork sees its content, and the refusal names both', async () => {
  await hold()
  await set('dev', { commit: hash('b') })
  await set('dev', { commit: hash('c') })
  await set('refs/tags/v1', { commit: hash('b') })
  await set('fork', { from: 'dev' })
  const before = await directory.everything()
  expect(await remove('dev')).toMatchObject(
    lost('^Deleting dev of models/acme/bert .+: 2 commits on record and the refs .*fork'),
  )
  expect(await keep({ main: null, fork: null })).toMatchObject(lost('^Deleting dev of '))
  expect(await remove('main')).toMatchObject(lost('Make another branch the default one'))
  expect(await directory.everything()).toEqual(before)
})

test('tags, branches with nothing of their own, and forks that go with their origin are deleted', async () => {
  await hold()
  await set('same', { commit: hash('a') })
  await set('refs/tags/v1', { commit: hash('a') })
  await set('none', {})
  await set('fork', { from: 'none' })
  expect(await remove('none')).toMatchObject(lost(': the ref fork may need'))
  expect(await keep({ main: null, same: null })).toMatchObject({ changes: [{}, {}] })
  for (const ref of ['same', 'refs/tags/v1']) {
    expect(await remove(ref)).toMatchObject({ deleted: expect.any(String) })
  }
})

test('where no service holds it any more, or ever did, everything is deleted', async () => {
  await hold()
  await hold()
  await set('dev', { commit: hash('b') })
  expect(await remove('dev')).toMatchObject(lost('^Deleting dev'))
  await unmarkHeld(directory.store.directory, await uid())
  expect(await remove('dev')).toMatchObject({ deleted: 'refs/heads/dev' })
})
