/** A server that was not compared is neither read nor written, also where a connection changes its server between two transactions. */

import type { ServerGuard } from '@latchkey/service/postgres'
import { ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { expect, test } from 'vitest'
import { openUntilEnd } from './open-test-database.ts'

interface Schema {
  readonly notes: { readonly text: string }
}

const isMissing = isPostgresMissing('no server is compared')

/** The name of the server is a row, which a test changes as a pooler would change the server. */
async function guarded({ isMet }: { readonly isMet: boolean }) {
  const own = await ownDatabase()
  await own.sql(`create table notes (text text); create table server (name text);
    insert into server values ('first')`)
  const database = await openUntilEnd<Schema>(own.url, { reconnectWaitMs: isMet ? 60_000 : 0 })
  let known = 'first'
  const guard: ServerGuard = {
    expect: () => ({
      question: 'SELECT name FROM server',
      isServer: (row) => row?.['name'] === known,
    }),
    async meet() {
      known = await own.sql('select name from server')
      return true
    },
  }
  const { read, change, query } = database.guardedBy(guard)
  const add = (text: string) =>
    change((tables) => tables.insertInto('notes').values({ text }).execute())
  return {
    notes: () => own.sql('select text from notes'),
    replaceServer: () => own.sql(`update server set name = 'second'`),
    work: {
      read: () => read((tables) => tables.selectFrom('notes').selectAll().execute()),
      change: () => add('changed'),
      query: () => query({ name: 'notes', text: 'SELECT name FROM public.server' }),
    },
  }
}

test.skipIf(isMissing).each(['read', 'change', 'query'] as const)(
  'a %s at another server is refused and leaves nothing there',
  async (kind) => {
    const { work, replaceServer, notes } = await guarded({ isMet: false })
    await work[kind]()
    const before = await notes()
    await replaceServer()
    await expect(work[kind]()).rejects.toThrow('another server, or older')
    expect(await notes()).toBe(before)
  },
)

test.skipIf(isMissing).each(['read', 'change', 'query'] as const)(
  'a %s at another server is done once after that server was compared',
  async (kind) => {
    const { work, replaceServer, notes } = await guarded({ isMet: true })
    await replaceServer()
    await work[kind]()
    expect(await notes()).toBe(kind === 'change' ? 'changed' : '')
  },
)

test.skipIf(isMissing)('a statement whose answer names no server is refused', async () => {
  const own = await ownDatabase()
  const database = await openUntilEnd<Schema>(own.url, { reconnectWaitMs: 0 })
  const guard: ServerGuard = {
    expect: () => ({ question: 'SELECT 1', isServer: (row) => row !== undefined }),
    meet: async () => true,
  }
  const asking = database.guardedBy(guard).query({ name: 'none', text: 'SELECT 1 WHERE false' })
  await expect(asking).rejects.toThrow('another server, or older')
})
