/** An answer is of one moment of one server, and of no moment before what the hub knows. */

import { journalNumber, unixSeconds } from '@latchkey/protocol'
import { openPostgres } from '@latchkey/service/postgres'
import { ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { describe, expect, test } from 'vitest'
import { findStatement } from '../../../src/stores/postgres/find-statement.ts'
import type { FollowedHead } from '../../../src/stores/postgres/follow-head.ts'
import { type AnsweredBy, comparedServer } from '../../../src/stores/postgres/known-server.ts'
import { postgresAccess } from '../../../src/stores/postgres/postgres-access.ts'
import { hubSchema as schema } from '../../../src/stores/postgres/server-name.ts'
import { learned, record, repo } from '../../access/fake-store.ts'
import { applyFile, openHub, settingsOf } from './open-hub.ts'

const isMissing = isPostgresMissing('no snapshot is looked at')

test.skipIf(isMissing)(
  'facts and number come from one snapshot while others change both',
  async () => {
    const own = await ownDatabase()
    const hub = await openHub(own.url)
    const repository = 'models/acme/open'
    const visibilities = new Map<number, string>()
    const note = async (visibility: string) => {
      visibilities.set((await hub.access.version()).number, visibility)
    }
    await applyFile(hub, {
      namespaces: [{ name: 'acme' }],
      repositories: [{ type: 'model', id: 'acme/open', visibility: 'public' }],
    })
    await note('public')
    const database = await openPostgres({ settings: settingsOf(own.url), schema })
    let isOver = false
    const rows: (AnsweredBy & { readonly answers: string })[] = []
    const values = [JSON.stringify([{ path: repository, branch: '' }])]
    const reading = async () => {
      while (!isOver) {
        rows.push(
          ...(await database.query<(typeof rows)[number]>({
            name: 'find',
            text: findStatement(schema),
            values,
          })),
        )
      }
    }
    const readers = [reading(), reading()]
    for (let round = 0; round < 60; round += 1) {
      const visibility = round % 2 === 0 ? 'private' : 'public'
      await hub.done('repo set', { repository, visibility })
      await note(visibility)
    }
    isOver = true
    await Promise.all(readers)
    await database.close()
    const numbers = new Set(rows.map(({ head_number }) => head_number))
    expect(numbers.size).toBeGreaterThan(5)
    for (const { head_number, answers } of rows) {
      const [{ repository: found }] = JSON.parse(answers)
      // Nobody sees what is private.
      expect(visibilities.get(head_number)).toBe(found?.visibility ?? 'private')
    }
  },
)

describe('an answer', () => {
  const version = { number: journalNumber(10), mark: 1, learned, server: 'this' }
  const now = unixSeconds(0)
  const about = { repo: repo('models/acme/bert'), names: {} }
  const asked = { now, hubTokenHash: 'hash', about }

  const head: FollowedHead = {
    version: () => version,
    compared: () => version,
    isFresh: () => true,
    look: async () => true,
    lookAnew: async () => true,
    async close() {},
  }
  const row: AnsweredBy = { head_number: 10, is_replica: 0, server: 'this' }
  const isTaken = (part: Partial<AnsweredBy> | undefined) =>
    comparedServer(head, schema)
      .expect()
      .isServer(part && { ...row, ...part })

  test.each<readonly [string, Partial<AnsweredBy> | undefined]>([
    ['older than the hub knows', { head_number: 9 }],
    ['of a replica', { is_replica: 1 }],
    ['of another server', { server: 'other', head_number: 11 }],
    ['without a server', undefined],
  ])('%s is not used', (_, part) => {
    expect(isTaken(part)).toBe(false)
  })

  test('as new as the hub knows, or newer, is used', () => {
    for (const head_number of [10, 11]) expect(isTaken({ head_number })).toBe(true)
  })

  test('for prefixes is one for many who ask, so that they leave the connections to others', async () => {
    let queries = 0
    const query = async <Row>() => {
      queries += 1
      return [{ ...row, prefixes: '["lk_"]' }] as Row[]
    }
    const access = postgresAccess({ query }, { schema, head })
    const answers = await Promise.all(Array.from({ length: 5000 }, () => access.findPrefixes()))
    expect(new Set(answers.flatMap((prefixes) => [...prefixes]))).toEqual(new Set(['lk_']))
    expect(queries).toBe(1)
  })

  test('for another viewer than the access room names is asked for again as that viewer', async () => {
    const statements: unknown[] = []
    const caller = { ...record, adminScopes: null, expiresAt: null, revokedAt: null }
    const query = async <Row>({ values = [] }: { values?: readonly unknown[] }) => {
      statements.push(JSON.parse(String(values[0])))
      // The statement has guessed the account; as nobody in particular, the repository is hidden.
      const answer =
        statements.length > 1
          ? { caller: null, viewer: null, isThere: true, repository: null }
          : { caller, viewer: record.accountId, isThere: true, repository: { uid: 'private' } }
      return [{ ...row, answers: JSON.stringify([answer]) }] as Row[]
    }
    const access = postgresAccess({ query }, { schema, head })
    const found = await access.find({ ...asked, viewerOf: () => ({ accountId: undefined }) })
    expect(found.repository).toBe('hidden')
    expect(statements).toMatchObject([
      [{ hash: 'hash', account: null }],
      [{ hash: null, account: null }],
    ])
  })
})
