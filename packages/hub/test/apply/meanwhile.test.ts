/** What others change while a file is planned or written: the end is as if one had come after the other. */

import { isRefusal } from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import { expect, test } from 'vitest'
import { applyFile } from '../../src/apply/apply-file.ts'
import type { StepBounds } from '../../src/apply/planning.ts'
import { isLongHere } from '../stores/test-store.ts'
import { applySurroundings, hash, type Opened, openDirectory } from '../verbs/open-directory.ts'
import { meaningOf } from './meaning-of.ts'

const repository = 'models/acme/bert'

const beginning = {
  accounts: [
    { name: 'root', administrator: true },
    { name: 'ada' },
    { name: 'bob' },
    { name: 'cyd', disabled: true },
  ],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }, { name: 'beta' }],
  repositories: [{ type: 'model', id: 'acme/bert', branches: { main: hash(1), dev: hash(2) } }],
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
}

const wanted = {
  accounts: [{ name: 'root' }, { name: 'ada' }, { name: 'cyd', disabled: false }, { name: 'dan' }],
  namespaces: [{ name: 'acme', members: { ada: 'write', dan: 'read' } }],
  repositories: [
    {
      type: 'model',
      id: 'acme/bert',
      branches: { main: hash(3), next: { from: 'main', commit: hash(4) } },
      commits: { [hash(9)]: ['main'] },
      collaborators: { ada: 'admin' },
    },
    { type: 'model', id: 'acme/gpt' },
  ],
  hubTokens: [
    { account: 'ada', name: 'laptop', kind: 'write' },
    { account: 'dan', name: 'ci', kind: 'read' },
  ],
}

type Meanwhile = readonly [words: string, input: object]

const concerning: readonly Meanwhile[] = [
  ['account set', { account: 'ada', disabled: true }],
  ['account delete', { account: 'ada' }],
  ['account create', { name: 'dan', kind: 'service' }],
  ['member set', { namespace: 'acme', account: 'bob', role: 'read' }],
  ['namespace create', { name: 'ACME2' }],
  ['repo set', { repository, visibility: 'public' }],
  ['repo delete', { repository }],
  ['repo create', { repository: 'models/acme/gpt' }],
  ['collaborator set', { repository, account: 'bob', role: 'write' }],
  ['ref set', { repository, ref: 'other', commit: hash(5) }],
  ['ref delete', { repository, ref: 'dev' }],
  ['commit record', { repository, hash: hash(9), on: ['dev'] }],
  ['hub-token create', { account: 'ada', name: 'ci', kind: 'read' }],
  ['hub-token create', { account: 'cyd', name: 'old', kind: 'write' }],
]

const others: readonly Meanwhile[] = [
  ['account create', { name: 'eve' }],
  ['namespace create', { name: 'gamma' }],
  ['member set', { namespace: 'beta', account: 'bob', role: 'read' }],
  ['repo create', { repository: 'models/beta/bert' }],
  ['hub-token create', { account: 'bob', name: 'ci', kind: 'read' }],
  ['revoke account', { account: 'ada' }],
]

/** Runs a verb when the file has been planned for the first time; gives how often it was planned. */
function disturbed(opened: Opened, [words, input]: Meanwhile) {
  const { directory } = opened.store
  const plans = { count: 0 }
  const around = {
    ...applySurroundings(opened),
    directory: {
      ...directory,
      readBeside: async <Result>(work: Parameters<typeof directory.readBeside<Result>>[0]) => {
        const result = await directory.readBeside(work)
        plans.count += 1
        if (plans.count === 1) await opened.done(words, input)
        return result
      },
    },
  }
  return { around, plans }
}

async function begun(): Promise<Opened> {
  const opened = await openDirectory()
  expect(isRefusal(await opened.apply(beginning))).toBe(false)
  return opened
}

/** What concerns a file is read from the journal, which has the same rows in both databases. */
for (const prune of isLongHere ? [false] : [false, true]) {
  test.each(concerning)(
    `"%s %j" between plan and lock, with prune ${prune}`,
    async (...meanwhile) => {
      const [opened, expected] = [await begun(), await begun()]
      const { around, plans } = disturbed(opened, meanwhile)
      const applied = await applyFile(around, wanted, { prune })
      await expected.done(...meanwhile)
      const after = await expected.apply(wanted, { prune })
      expect(isRefusal(applied)).toBe(isRefusal(after))
      expect(await meaningOf(opened)).toEqual(await meaningOf(expected))
      if (meanwhile[0] !== 'namespace create') expect(plans.count).toBe(2)
    },
  )
}

test.each(others)(
  '"%s %j" does not concern the file: the first plan holds',
  async (...meanwhile) => {
    const opened = await begun()
    const { around, plans } = disturbed(opened, meanwhile)
    expect(isRefusal(await applyFile(around, wanted))).toBe(false)
    expect(plans.count).toBe(1)
    expect(await opened.apply(wanted)).toEqual({ changes: [], hubTokens: [] })
  },
)

test('a file that others contradict all the time is refused in the end, and says so', async () => {
  const opened = await begun()
  const { directory } = opened.store
  let is = false
  const around = {
    ...applySurroundings(opened),
    directory: {
      ...directory,
      readBeside: async <Result>(work: Parameters<typeof directory.readBeside<Result>>[0]) => {
        const result = await directory.readBeside(work)
        is = !is
        await opened.done('account set', { account: 'ada', disabled: is })
        return result
      },
    },
  }
  const before = await opened.everything()
  expect(await applyFile(around, wanted)).toMatchObject({ code: 'conflict' })
  expect(await opened.everything()).toEqual(before)
})

/** Many small steps, so that two files are written between each other. */
const low: StepBounds = { wholeChanges: 20, stepMs: 0, changesAtOnce: 10, pauseMs: 1 }

function edition(name: string, visibility: string): object {
  const all = Array.from({ length: rounds(40, 300) }, (_, n) => n)
  return {
    accounts: [{ name: 'root', administrator: true }, { name }],
    namespaces: [{ name: 'acme', members: { [name]: 'admin' } }],
    repositories: all.map((n) => ({
      type: 'model',
      id: `acme/model-${n}`,
      visibility,
      collaborators: { [name]: 'write' },
      ...(n % 3 === 0 && { branches: { main: hash(name) } }),
    })),
    hubTokens: [{ account: name, name: 'ci', kind: 'write' }],
  }
}

test('files that contradict each other end as one after the other', async () => {
  const [one, other] = [edition('ada', 'public'), edition('bob', 'private')]
  const ends = await Promise.all(
    [
      [one, other],
      [other, one],
    ].map(async (files) => {
      const opened = await openDirectory()
      for (const file of files) await opened.apply(file)
      return meaningOf(opened)
    }),
  )
  for (let round = 0; round < rounds(1, 20); round += 1) {
    const opened = await openDirectory()
    const around = { ...applySurroundings(opened), bounds: low }
    const applied = await Promise.all([applyFile(around, one), applyFile(around, other)])
    expect(applied.map(isRefusal)).toEqual([false, false])
    expect(ends).toContainEqual(await meaningOf(opened))
  }
})
