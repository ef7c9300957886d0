/** A repository that may have lost stored content gets another epoch: the number of the change, by an entry of its own. */

import { asRepositoryUid } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { raiseEpochs } from '../../src/verbs/repository-rows.ts'
import { hash, openDirectory } from './open-directory.ts'

const repository = 'models/acme/bert'
const other = 'models/acme/other'

const bert = {
  type: 'model',
  id: 'acme/bert',
  branches: { main: hash(1), dev: hash(2), topic: hash(3) },
  tags: { v1: hash(1), v2: hash(2) },
}

function fileWith(change: object) {
  return {
    namespaces: [{ name: 'acme' }],
    repositories: [
      { ...bert, ...change },
      { type: 'model', id: 'acme/other' },
    ],
  }
}

async function opened() {
  const directory = await openDirectory()
  const { store, done } = directory
  await directory.apply(fileWith({}))
  const rows = () =>
    store.directory.read((tables) => tables.selectFrom('repositories').selectAll().execute())
  const uidOf = async (path: string) => {
    const row = (await rows()).find((one) => one.path === path)
    return row?.uid ?? asRepositoryUid('none')
  }
  const epochs = async () =>
    Object.fromEntries((await rows()).map(({ path, epoch }) => [path, epoch]))
  /** The entries that the work makes. */
  const entriesOf = async (work: () => Promise<unknown>) => {
    const { last } = await done('changes')
    await work()
    const { items } = await done('changes', { after: String(last) })
    return items as { number: number; thing: string; after?: { epoch?: number } }[]
  }
  return { ...directory, epochs, entriesOf, uidOf }
}

describe('a repository gets the number of the change as its epoch, once,', () => {
  const without = ({ dev, ...branches }: typeof bert.branches) => branches
  type Opened = Awaited<ReturnType<typeof opened>>
  test.each<readonly [string, (directory: Opened) => Promise<unknown>]>([
    ['when a branch is deleted', ({ done }) => done('ref delete', { repository, ref: 'dev' })],
    [
      'when a tag is deleted',
      ({ done }) => done('ref delete', { repository, ref: 'refs/tags/v1' }),
    ],
    [
      'when a tag moves, because it is another one afterwards',
      ({ done }) => done('ref set', { repository, ref: 'refs/tags/v1', commit: hash(3) }),
    ],
    [
      'when a file leaves a branch out',
      ({ apply }) => apply(fileWith({ branches: without(bert.branches) })),
    ],
    [
      'when a file moves tags, leaves out branches and changes the repository too',
      ({ apply }) =>
        apply(
          fileWith({
            visibility: 'public',
            branches: { main: hash(1) },
            tags: { v1: hash(2), v2: hash(1) },
          }),
        ),
    ],
  ])('%s', async (_, work) => {
    const directory = await opened()
    const [first, ...more] = await directory.entriesOf(() => work(directory))
    const told = [first, ...more].filter((entry) => entry?.after?.epoch !== undefined)
    expect(told).toMatchObject([
      { thing: 'repository', narrows: false, after: { epoch: first?.number } },
    ])
    expect(await directory.epochs()).toEqual({ [repository]: first?.number, [other]: 0 })
  })

  test('and again a larger one with the next', async () => {
    const { done, epochs } = await opened()
    await done('ref delete', { repository, ref: 'dev' })
    const { [repository]: before = 0 } = await epochs()
    await done('ref delete', { repository, ref: 'topic' })
    expect((await epochs())[repository]).toBeGreaterThan(before)
  })
})

test('a repository keeps its epoch when refs are made, move or stay as they are', async () => {
  const { done, apply, epochs } = await opened()
  await done('ref set', { repository, ref: 'new', from: 'main' })
  await done('ref set', { repository, ref: 'main', commit: hash(4) })
  await done('ref set', { repository, ref: 'refs/tags/v1', commit: hash(1) })
  await done('commit record', { repository, hash: hash(5), on: ['main'] })
  await apply(fileWith({ branches: { ...bert.branches, main: hash(5), new: hash(1) } }))
  expect(await epochs()).toEqual({ [repository]: 0, [other]: 0 })
})

describe('raising epochs', () => {
  const origin = { verb: 'link raise-epoch' }

  test('of given repositories leaves out what is none, and touches no other', async () => {
    const { store, epochs, entriesOf, uidOf } = await opened()
    const uids = [asRepositoryUid('unknown'), await uidOf(other), await uidOf(other)]
    const entries = await entriesOf(async () => {
      expect(await raiseEpochs(store.directory, origin, uids)).toBe(1)
    })
    expect(entries).toMatchObject([{ verb: 'link raise-epoch', repository: other }])
    expect(await epochs()).toEqual({ [repository]: 0, [other]: entries[0]?.number })
  })

  test('of all gives each the number of the change, again and again', async () => {
    const { store, epochs, entriesOf } = await opened()
    for (const _ of [1, 2]) {
      const entries = await entriesOf(async () => {
        expect(await raiseEpochs(store.directory, origin, 'all')).toBe(2)
      })
      expect(entries).toHaveLength(2)
      const number = entries[0]?.number
      expect(await epochs()).toEqual({ [repository]: number, [other]: number })
    }
  })

  test('of none changes nothing', async () => {
    const { store, entriesOf } = await opened()
    const raise = () => raiseEpochs(store.directory, origin, [asRepositoryUid('unknown')])
    expect(await entriesOf(raise)).toEqual([])
  })
})
