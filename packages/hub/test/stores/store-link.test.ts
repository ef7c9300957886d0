/** The link straight to the database answers like the routes of the link: removals, epochs, unknown uids. */

import { asRefUid, asRepositoryUid, type JournalNumber, unixSeconds } from '@latchkey/protocol'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { verbRunner } from '@latchkey/testing/hub/run-verbs'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../src/data/open-store.ts'
import { pruneJournal } from '../../src/journal/prune-journal.ts'
import { repositoryNames } from '../../src/link/repository-names.ts'
import { storeLink } from '../../src/link/store-link.ts'

const bert = 'models/acme/bert'

async function openLink() {
  let nowMs = 1_800_000_000_000
  const place = { data: temporaryFolder(), database: 'sqlite:hub.db' }
  const store = await openStore(place, { create: true, nowMs: () => nowMs })
  onTestFinished(() => store.close())
  const done = verbRunner(store, () => unixSeconds(Math.floor(nowMs / 1000)))
  await done('namespace create', { name: 'acme' })
  await done('repo create', { repository: bert, visibility: 'private' })
  await done('ref set', { repository: bert, ref: 'main', commit: commit('a') })
  const link = storeLink(store, { verb: 'storage gc', user: 'operator' })
  const rows = store.readBeside(async (tables) => ({
    repository: await tables.selectFrom('repositories').select('uid').executeTakeFirstOrThrow(),
    ref: await tables.selectFrom('refs').select('uid').executeTakeFirstOrThrow(),
    commit: await tables.selectFrom('commits').select('uid').executeTakeFirstOrThrow(),
  }))
  const { repository, ref, commit: held } = await rows
  const uids = { repository: repository.uid, ref: ref.uid, commit: held.uid }
  return { store, link, done, uids, passDays: (days: number) => (nowMs += days * 86_400_000) }
}

test('a number that the journal does not have is an unknown cursor, with the number to go on from', async () => {
  const { store, link, done, passDays } = await openLink()
  const { number } = await link.changes({})
  for (const after of [number + 1, number - 1_000_000]) {
    expect(await link.changes({ after: after as JournalNumber })).toEqual({
      kind: 'unknown cursor',
      number,
    })
  }
  passDays(10)
  for (const ref of ['one', 'two']) {
    await done('ref set', { repository: bert, ref, commit: commit('a') })
    passDays(10)
  }
  await pruneJournal(store.directory, { days: 15, nowMs: 1_800_000_000_000 + 30 * 86_400_000 })
  expect(await link.changes({ after: number })).toMatchObject({ kind: 'unknown cursor' })
})

test('removals are told once and in order, and nothing else of the journal', async () => {
  const { link, done, uids } = await openLink()
  const { number: after } = await link.changes({})
  expect(await link.changes({ after })).toMatchObject({ number: after, removed: [] })
  await done('ref delete', { repository: bert, ref: 'main' })
  await done('repo delete', { repository: bert })
  await done('account create', { name: 'ada' })
  const told = await link.changes({ after })
  const removed = [uids.ref, uids.repository]
  expect(told).toMatchObject({ kind: 'changes', removed, isComplete: true })
  expect(await link.changes({ after: told.number })).toMatchObject({ removed: [] })
})

test('epochs rise for the repositories that are there, each with its entry', async () => {
  const { store, link, done, uids } = await openLink()
  await done('repo create', { repository: 'models/acme/other', visibility: 'private' })
  const epochs = () =>
    store.readBeside((tables) =>
      tables.selectFrom('repositories').select('epoch').orderBy('path').execute(),
    )
  await link.raiseEpochs([uids.repository, asRepositoryUid('nothing')])
  const [first, second] = await epochs()
  expect([Number(first?.epoch) > 0, second?.epoch]).toEqual([true, 0])
  expect(await link.raiseAllEpochs()).toBe(2)
  const [again, other] = await epochs()
  expect(Number(again?.epoch)).toBeGreaterThan(Number(first?.epoch))
  expect(Number(other?.epoch)).toBeGreaterThan(0)
  const { items } = await done('changes', {})
  const raised = (items as { verb: string }[]).filter(({ verb }) => verb === 'storage gc')
  expect(raised).toHaveLength(3)
})

test('repositories, refs and commits are known, and nothing else', async () => {
  const { link, done, uids } = await openLink()
  const asked = [uids.repository, uids.ref, uids.commit, asRefUid('nothing')]
  expect([...(await link.findUnknown(asked))]).toEqual(['nothing'])
  await done('repo delete', { repository: bert })
  expect([...(await link.findUnknown(asked))]).toEqual(asked)
  expect([...(await link.findUnknown([]))]).toEqual([])
})

test('names are those of the directory, matched exactly', async () => {
  const { store, uids } = await openLink()
  const { uidOf, pathsOf } = repositoryNames(store)
  const named = (name: string) => ({ type: 'model', namespace: 'acme', name }) as const
  expect(await uidOf(named('bert'))).toBe(uids.repository)
  expect(await uidOf(named('Bert'))).toBeUndefined()
  const paths = await pathsOf([uids.repository, asRepositoryUid('nothing')])
  expect([...paths]).toEqual([[uids.repository, bert]])
})
