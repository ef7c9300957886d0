/** A large file is written in steps: other writers have their turn between them, and every step leaves a valid directory. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import { expect, test } from 'vitest'
import { applyFile } from '../../src/apply/apply-file.ts'
import type { ApplyResult, StepBounds } from '../../src/apply/planning.ts'
import { countOf } from '../../src/tables/columns.ts'
import { directoryFile } from '../crash/directory-file.ts'
import { isLongHere, isOnPostgres, longHere } from '../stores/test-store.ts'
import { applySurroundings, hash, type Opened, openDirectory } from '../verbs/open-directory.ts'
import { meaningOf } from './meaning-of.ts'

/** So low that a small file takes many steps. */
const low: StepBounds = { wholeChanges: 60, stepMs: 0, changesAtOnce: 30, pauseMs: 1 }
/** More than fits into one transaction. */
const some = { repositories: 12, persons: 24, branches: 4 }

const repositories = rounds(200, 100_000)
const bounds = repositories < 100_000 ? { bounds: { ...low, pauseMs: 30 } } : {}
const maxWaitMs = 2000

function many(count: number): object {
  return {
    accounts: [{ name: 'root', administrator: true }],
    namespaces: [{ name: 'acme' }],
    repositories: Array.from({ length: count }, (_, n) => ({
      type: 'model',
      id: `acme/model-${n}`,
      branches: { main: hash(n % 1000) },
    })),
  }
}

test(`a revocation beside an apply of ${repositories} repositories waits less than 2 s`, async () => {
  const opened = await openDirectory()
  await opened.apply({ accounts: [{ name: 'bob' }] })
  const around = { ...applySurroundings(opened), ...bounds }
  const startedAt = performance.now()
  let isOver = false
  const applying = applyFile(around, many(repositories)).finally(() => {
    isOver = true
  })
  const waits: number[] = []
  while (!isOver) {
    const begun = performance.now()
    await opened.done('revoke account', { account: 'bob' })
    waits.push(performance.now() - begun)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const applied = await applying
  if (isRefusal(applied)) throw new Error(applied.detail)
  const longest = Math.max(...waits)
  const where = isOnPostgres ? 'PostgreSQL' : 'SQLite'
  process.stdout.write(
    `apply of ${repositories} repositories on ${where}: ${Math.round(performance.now() - startedAt)} ms, ` +
      `${waits.length} revocations beside it, the longest took ${Math.round(longest)} ms\n`,
  )
  expect(applied.changes).toHaveLength(repositories + 2)
  expect(longest).toBeLessThan(maxWaitMs)
  expect(await turns(opened)).toBeGreaterThan(4)
})

/** How often somebody else wrote between two entries of the file. */
async function turns({ store }: Opened): Promise<number> {
  const rows = await store.directory.read((tables) =>
    tables.selectFrom('journal').select('verb').orderBy('number').execute(),
  )
  const verbs = rows.map(({ verb }) => verb)
  const own = verbs.slice(verbs.indexOf('test'), verbs.lastIndexOf('test'))
  return own.filter((verb, at) => verb !== 'test' && own[at - 1] === 'test').length
}

test.each(isLongHere ? [true] : [false, true])(
  'in steps or whole, with prune %s, the end is the same',
  async (prune) => {
    const [stepped, whole] = [await openDirectory(), await openDirectory()]
    const around = { ...applySurroundings(stepped), bounds: low }
    for (const file of [directoryFile(1, some), directoryFile(2, some)]) {
      const inSteps = await applyFile(around, file, { prune })
      expect(toldBy(inSteps)).toEqual(toldBy(await whole.apply(file, { prune })))
      expect(await meaningOf(stepped)).toEqual(await meaningOf(whole))
    }
    const again = await applyFile(around, directoryFile(2, some), { prune })
    expect(again).toEqual({ changes: [], hubTokens: [] })
  },
)

/** Each edition deletes 501 refs of the one before, moves many others, and makes as many new ones. */
function manyRefs(edition: 1 | 2): object {
  const numbers = Array.from({ length: rounds(1100, 1600) }, (_, n) => n + 501 * edition)
  const heads = numbers.map((n) => {
    // Several refs have a commit in common, and others that of their origin.
    const commit = n % 2 === 0 ? hash((n * edition) % 700) : undefined
    return [`b-${n}`, n % 3 === 0 ? (commit ?? null) : { commit, from: `b-${n - 1}` }]
  })
  const [first, last] = [numbers.at(0), numbers.at(-1)].map((n) => `refs/heads/b-${n}`)
  return {
    namespaces: [{ name: 'acme' }],
    repositories: [
      {
        type: 'model',
        id: 'acme/large',
        // A name that was a branch becomes a tag.
        branches: {
          ...Object.fromEntries(heads),
          ...(edition === 1 && { x: null }),
          main: hash(edition),
        },
        tags: { v1: hash(edition), ...(edition === 2 && { x: hash(3) }) },
        commits: { [hash(2)]: [first, last], [hash(9999)]: [last] },
      },
    ],
  }
}

test('the refs of one repository are written in steps too, and the end is the same', {
  tags: [...longHere],
}, async () => {
  const [stepped, whole] = [await openDirectory(), await openDirectory()]
  const { directory } = stepped.store
  const steps: { readonly entries: number; readonly hasDefault: boolean }[] = []
  const watched: typeof directory = {
    ...directory,
    async change(work) {
      const before = await stateOf(stepped)
      const result = await directory.change(work)
      const { entries, hasDefault } = await stateOf(stepped)
      steps.push({ entries: entries - before.entries, hasDefault })
      return result
    },
  }
  const inSteps = { ...applySurroundings(stepped), directory: watched, bounds: low }
  const wholeChanges = Number.POSITIVE_INFINITY
  const atOnce = { ...applySurroundings(whole), bounds: { ...low, wholeChanges } }
  for (const file of [manyRefs(1), manyRefs(2)]) {
    steps.length = 0
    const told = toldBy(await applyFile(inSteps, file))
    expect(told).toEqual(toldBy(await applyFile(atOnce, file)))
    expect(await meaningOf(stepped)).toEqual(await meaningOf(whole))
    expect(steps.length).toBeGreaterThan(2)
    // At most 500 refs, the commit of each, and the repository itself.
    expect(Math.max(...steps.map(({ entries }) => entries))).toBeLessThanOrEqual(1002)
    expect(steps.every(({ hasDefault }) => hasDefault)).toBe(true)
  }
  expect(await applyFile(inSteps, manyRefs(2))).toEqual({ changes: [], hubTokens: [] })
})

function stateOf({ store }: Opened) {
  return store.directory.read(async (tables) => {
    const main = tables.selectFrom('refs').where('name', '=', 'refs/heads/main')
    return {
      entries: await countOf(tables.selectFrom('journal')),
      hasDefault: (await countOf(main)) === (await countOf(tables.selectFrom('repositories'))),
    }
  })
}

/** Pruned hub tokens come in the order of their ids, which are random. */
function toldBy(applied: ApplyResult | Refusal): string[] {
  if (isRefusal(applied)) throw new Error(applied.detail)
  const { changes, hubTokens } = applied
  return [
    ...changes.map(({ what, name, did }) => `${what} ${name} ${did}`).sort(),
    ...hubTokens.map(({ account, name }) => `${account}/${name}`),
  ]
}

test('what is made in a step has the number of its first entry', {
  tags: [...longHere],
}, async () => {
  const opened = await openDirectory()
  await applyFile(
    { ...applySurroundings(opened), bounds: low },
    directoryFile(1, { repositories: 12, persons: 24 }),
  )
  const { numbers, moments, entries } = await opened.store.directory.read(async (tables) => {
    const journal = tables.selectFrom('journal').where('verb', '=', 'test')
    const all = await journal.select(['number', 'ref_uid']).orderBy('number').execute()
    const refs = tables.selectFrom('refs').where('forked_number', 'is not', null)
    return {
      numbers: new Set(all.map(({ number }) => number)),
      entries: new Map(all.map(({ number, ref_uid }) => [ref_uid, number])),
      moments: await refs.select(['uid', 'forked_number']).execute(),
    }
  })
  expect(moments.length).toBeGreaterThan(100)
  expect(new Set(moments.map(({ forked_number }) => forked_number)).size).toBeGreaterThan(5)
  const wrong = moments.filter(
    ({ uid, forked_number: number }) =>
      number === null || !numbers.has(number) || number > (entries.get(uid) ?? 0),
  )
  expect(wrong).toEqual([])
})

test('after every step there is an administrator', async () => {
  const opened = await openDirectory()
  const people = Array.from({ length: 40 }, (_, n) => ({ name: `person-${n}` }))
  await opened.apply({ accounts: [{ name: 'old', administrator: true }, ...people] })
  const { directory } = opened.store
  const left: number[] = []
  const watched: typeof directory = {
    ...directory,
    async change(work) {
      const result = await directory.change(work)
      const { items } = await opened.done('account list', { limit: 1000 })
      left.push((items as { administrator: boolean }[]).filter((row) => row.administrator).length)
      return result
    },
  }
  const next = people.map(({ name }) => ({ name: `${name}-next` }))
  const file = { accounts: [...next, { name: 'new', administrator: true }] }
  const around = { ...applySurroundings(opened), directory: watched, bounds: low }
  expect(isRefusal(await applyFile(around, file, { prune: true }))).toBe(false)
  expect(left.length).toBeGreaterThan(1)
  expect(Math.min(...left)).toBe(1)
})

test('rights that are lost between two steps end the work, and the refusal tells how far it came', async () => {
  const opened = await openDirectory()
  const around = { ...applySurroundings(opened), bounds: low }
  let asked = 0
  const identify = async () => {
    asked += 1
    return asked > 3 ? refuse('permission_denied', 'No longer.') : undefined
  }
  const ended = await applyFile({ ...around, identify }, many(100))
  if (!isRefusal(ended)) throw new Error('it was applied')
  expect(ended.code).toBe('permission_denied')
  expect(ended.detail).toMatch(/^No longer\. \d+ changes of the file are made already; /)
  const made = Number(/\d+/.exec(ended.detail)?.[0])
  const rest = await applyFile(around, many(100))
  if (isRefusal(rest)) throw new Error(rest.detail)
  expect(made).toBeGreaterThan(0)
  expect(made + rest.changes.length).toBe(102)
})

test('a mistake at the end of a large file changes nothing', async () => {
  const opened = await openDirectory()
  const before = await opened.everything()
  const file = { ...many(100), hubTokens: [{ account: 'nobody', name: 'laptop', kind: 'write' }] }
  const around = { ...applySurroundings(opened), bounds: low }
  expect(await applyFile(around, file)).toMatchObject({ path: 'hubTokens[0].account' })
  expect(await opened.everything()).toEqual(before)
})

test('a dry run of a large file tells the same changes and makes none', async () => {
  const opened = await openDirectory()
  const before = await opened.everything()
  const around = { ...applySurroundings(opened), bounds: low }
  const told = await applyFile(around, directoryFile(1, some), { dryRun: true })
  expect(await opened.everything()).toEqual(before)
  const done = await applyFile(around, directoryFile(1, some))
  expect(isRefusal(told) ? told : told.changes).toEqual(isRefusal(done) ? done : done.changes)
})

test('more new hub tokens than one transaction makes are refused before anything is made', async () => {
  const opened = await openDirectory()
  const before = await opened.everything()
  const accounts = Array.from({ length: 61 }, (_, n) => ({ name: `person-${n}` }))
  const hubTokens = accounts.map(({ name: account }) => ({ account, name: 'ci', kind: 'read' }))
  const around = { ...applySurroundings(opened), bounds: low }
  expect(await applyFile(around, { accounts, hubTokens })).toMatchObject({
    code: 'bad_request',
    path: 'hubTokens',
  })
  expect(await opened.everything()).toEqual(before)
  const fewer = hubTokens.slice(1)
  expect(await applyFile(around, { accounts, hubTokens: fewer })).toMatchObject({
    hubTokens: fewer.map(({ account }) => ({ account })),
  })
})
