/** The verb that shows the journal: in order, in pages, by repository, by account, from a number or a time on. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { JournalEntry } from '@latchkey/admin-api'
import { isRefusal } from '@latchkey/protocol'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { pruneJournal } from '../../src/journal/prune-journal.ts'
import { openSqliteStore } from '../../src/stores/sqlite/open-store.ts'
import type { Reading } from '../../src/tables/directory.ts'
import { listChanges } from '../../src/verbs/changes.ts'
import type { WhenOver } from '../stores/test-store.ts'
import { administrator, openDirectory } from '../verbs/open-directory.ts'

const start = Date.UTC(2050, 0, 1)
const repository = 'models/acme/bert'

interface Page {
  readonly items: readonly JournalEntry[]
  readonly last: number
  readonly oldest: number
}

/** One verb a second: two accounts, a namespace and a repository, which comes with its default branch. */
async function withChanges(whenOver?: WhenOver) {
  let nowMs = start
  const directory = await openDirectory({ nowMs: () => nowMs }, whenOver)
  const pass = (milliseconds: number) => {
    nowMs += milliseconds
  }
  const changes = async (input: object = {}) =>
    (await directory.done('changes', input)) as unknown as Page
  for (const [words, input] of [
    ['account create', { name: 'ada' }],
    ['account create', { name: 'bob' }],
    ['namespace create', { name: 'acme' }],
    ['repo create', { repository }],
  ] as const) {
    await directory.done(words, input)
    pass(1000)
  }
  return { ...directory, directory, changes, pass }
}

/** For tests that only read. */
let changed: Awaited<ReturnType<typeof withChanges>>
beforeAll(async () => {
  changed = await withChanges(afterAll)
})

describe('an unknown place is refused', () => {
  test.each([
    ['above the head', (head: number) => head + 1],
    ['between two entries', (head: number) => head - 2],
  ])('a number %s', async (_, numberFrom) => {
    const { run, changes } = changed
    const after = String(numberFrom((await changes()).last))
    expect(await run('changes', { after })).toMatchObject({
      code: 'cursor_unknown',
      path: 'after',
    })
  })

  test('a number that retention has removed', async () => {
    const { run, changes, store } = await withChanges()
    const { items } = await changes()
    const [first, second, third] = items.map(({ number }) => number)
    await pruneJournal(store.directory, { days: 0, nowMs: start + 1000 })
    for (const after of [0, first]) {
      const refusal = await run('changes', { after: String(after) })
      expect(refusal).toMatchObject({ code: 'cursor_unknown', path: 'after' })
      expect(refusal['detail']).toContain(`Begin with after=${second}`)
    }
    const rest = await changes({ after: String(second) })
    expect(rest.items[0]).toMatchObject({ number: third, previous: second })
    expect(rest.oldest).toBe(Number(second) + 1)
    expect((await changes()).items).toEqual(rest.items)
  })

  test.each(['yesterday', '2027-01', '-1', '1.5', '1e3', '9'.repeat(16)])(
    '%s is no place at all',
    async (after) => {
      const { run } = changed
      expect(await run('changes', { after })).toMatchObject({ code: 'bad_request' })
    },
  )
})

describe('the entries', () => {
  test('come in order, the oldest first, each naming the one before', async () => {
    const { changes } = changed
    const { items, last, oldest } = await changes()
    expect(items.map(({ verb }) => verb)).toEqual([
      'migrate',
      'account create',
      'account create',
      'namespace create',
      'repo create',
      'repo create',
    ])
    expect(items.map(({ previous }) => previous)).toEqual([
      0,
      ...items.slice(0, -1).map(({ number }) => number),
    ])
    expect(last).toBe(items.at(-1)?.number)
    expect(oldest).toBe(1)
  })

  test('say who did what to what, when, and by which request', async () => {
    const { directory, done, changes } = await withChanges()
    directory.actor = administrator()
    const { last } = await changes()
    const { id } = await done('account show', { account: 'bob' })
    await done('account set', { account: 'bob', disabled: true })
    expect((await changes({ after: String(last) })).items).toEqual([
      {
        number: start + 4000,
        previous: last,
        at: '2050-01-01T00:00:04.000Z',
        verb: 'account set',
        thing: 'account',
        did: 'changed',
        actor: { account: 'root', accountId: 'admin-account', hubToken: 'admin-token' },
        account: 'bob',
        accountId: id,
        narrows: true,
        before: { disabled: false },
        after: { disabled: true },
      },
    ])
  })

  test('come in pages that together are all of them, once each', async () => {
    const { changes } = changed
    const all = (await changes()).items
    for (const limit of [1, 2, 3, 5]) {
      const paged: JournalEntry[] = []
      let after = '0'
      for (;;) {
        const { items, last } = await changes({ after, limit })
        if (items.length === 0) break
        paged.push(...items)
        after = String(last)
      }
      expect(paged).toEqual(all)
    }
  })

  test('of one repository are those that concern it', async () => {
    const { changes, done } = await withChanges()
    await done('collaborator set', { repository, account: 'ada', role: 'read' })
    await done('namespace create', { name: 'other' })
    const { items, last } = await changes({ repository })
    expect(items.map(({ verb }) => verb)).toEqual([
      'repo create',
      'repo create',
      'collaborator set',
    ])
    // Nothing that matches lies between, so the next page begins behind the whole journal.
    expect(last).toBe((await changes()).last)
  })

  test('of one account are those that concern it and those that it made', async () => {
    const { directory, changes, done } = await withChanges()
    await done('collaborator set', { repository, account: 'ada', role: 'read' })
    directory.actor = { ...administrator(), accountName: 'ada' }
    await done('namespace create', { name: 'other' })
    const { items } = await changes({ account: 'ada' })
    expect(items.map(({ verb }) => verb)).toEqual([
      'account create',
      'collaborator set',
      'namespace create',
    ])
    expect((await changes({ account: 'nobody' })).items).toEqual([])
  })

  test('from a time on are those of that moment and later', async () => {
    const { changes } = changed
    const from = async (milliseconds: number) => {
      const after = new Date(start + milliseconds).toISOString()
      return (await changes({ after })).items.map(({ verb }) => verb)
    }
    expect(await from(2000)).toEqual(['namespace create', 'repo create', 'repo create'])
    expect(await from(2001)).toEqual(['repo create', 'repo create'])
    expect(await from(3002)).toEqual([])
    expect(await from(-start)).toHaveLength(6)
  })

  test('from a time on are all of them, also after the clock was set back', async () => {
    const { changes, pass, done } = await withChanges()
    pass(-3_600_000)
    await done('namespace create', { name: 'late' })
    const after = new Date(start - 3_600_000).toISOString()
    const { items } = await changes({ after })
    expect(items.map(({ verb }) => verb).slice(-2)).toEqual(['repo create', 'namespace create'])
  })

  test('that another process appends meanwhile come once', async () => {
    const file = join(temporaryFolder(), 'hub.db')
    const store = openSqliteStore(file)
    onTestFinished(() => store.close())
    const page = await store.directory.read((tables) => read(appending(tables, file)))
    const next = await store.directory.read((tables) => read(tables, page.last))
    expect([...page.items, ...next.items].map(({ verb }) => verb)).toEqual(['migrate', 'other'])
  })
})

/** Looks as the verb does. */
async function read(tables: Reading, after = 0): Promise<Page> {
  const work = { tables } as Parameters<typeof listChanges>[0]
  const answer = await listChanges(work, { after: { number: after }, wait: 0, limit: 100 })
  if (isRefusal(answer)) throw new Error(answer.detail)
  return answer as Page
}

/** Another process appends an entry as soon as entries are looked for. */
function appending(tables: Reading, file: string): Reading {
  const selectFrom = (table: never) => {
    if (table === 'journal') append(file)
    return tables.selectFrom(table)
  }
  return { selectFrom } as Reading
}

function append(file: string): void {
  const database = new DatabaseSync(file)
  database.exec(`
    UPDATE journal_head SET number = number + 1;
    INSERT INTO journal (number, previous, at_milliseconds, verb, thing, did, narrows, detail)
      SELECT number, number - 1, 0, 'other', 'hub', 'opened', 0, '{}' FROM journal_head`)
  database.close()
}
