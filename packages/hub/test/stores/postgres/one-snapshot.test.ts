/** An answer is of one moment of one server, and of no moment before what the hub knows. */

import { journalNumber } from '@latchkey/protocol'
import { DatabaseAway, openPostgres } from '@latchkey/service/postgres'
import { ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { describe, expect, test } from 'vitest'
import { findStatement } from '../../../src/stores/postgres/find-statement.ts'
import type { FollowedHead } from '../../../src/stores/postgres/follow-head.ts'
import type { FoundRow } from '../../../src/stores/postgres/found-rows.ts'
import { postgresAccess } from '../../../src/stores/postgres/postgres-access.ts'
import { hubSchema as schema } from '../../../src/stores/postgres/schema-name.ts'
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
    const rows: FoundRow[] = []
    const values = [JSON.stringify([{ path: repository, branch: '' }])]
    const reading = async () => {
      while (!isOver) {
        rows.push(
          ...(await database.query<FoundRow>({
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
    for (const { head_number, visibility } of rows) {
      // Nobody sees what is private.
      expect(visibilities.get(head_number)).toBe(visibility ?? 'private')
    }
  },
)

describe('an answer', () => {
  const version = { number: journalNumber(10), mark: 1, learned, server: 'this' }
  const asked = { hubTokenHash: 'hash', about: { repo: repo('models/acme/bert'), names: {} } }

  function answering(part: Partial<FoundRow>) {
    let looks = 0
    const head: FollowedHead = {
      version: () => version,
      isFresh: () => true,
      async look() {
        looks += 1
      },
      async close() {},
    }
    const row = {
      head_number: 10,
      is_replica: 0,
      server: 'this',
      hub_token_id: null,
      prefixes: '["lk_"]',
      ...part,
    }
    let queries = 0
    const query = async <Row>() => {
      queries += 1
      return [row] as Row[]
    }
    const access = postgresAccess({ query }, { schema, head })
    return { access, looks: () => looks, queries: () => queries }
  }

  test.each<readonly [string, Partial<FoundRow>]>([
    ['older than what the hub knows', { head_number: 9 }],
    ['of a replica', { is_replica: 1 }],
    ['of another server', { server: 'other', head_number: 11 }],
  ])('%s is none, and the head is looked at', async (_, part) => {
    const { access, looks } = answering(part)
    const viewerOf = () => undefined
    await expect(access.find({ ...asked, viewerOf })).rejects.toThrow(DatabaseAway)
    await expect(access.findPrefixes()).rejects.toThrow(DatabaseAway)
    expect(looks()).toBe(2)
  })

  test('as new as what the hub knows, or newer, is one', async () => {
    for (const head_number of [10, 11]) {
      const { access, looks } = answering({ head_number })
      expect(await access.find({ ...asked, viewerOf: () => undefined })).toMatchObject({})
      expect(await access.findPrefixes()).toEqual(new Set(['lk_']))
      expect(looks()).toBe(0)
    }
  })

  test('for prefixes is one for many who ask, so that they leave the connections to others', async () => {
    const { access, queries } = answering({})
    const answers = await Promise.all(Array.from({ length: 5000 }, () => access.findPrefixes()))
    expect(new Set(answers.flatMap((prefixes) => [...prefixes]))).toEqual(new Set(['lk_']))
    expect(queries()).toBe(1)
  })

  test('for another viewer than the access room names is asked for again as that viewer', async () => {
    const statements: unknown[] = []
    const row = {
      ...{ head_number: 10, is_replica: 0, server: 'this' },
      ...{ hub_token_id: record.hubTokenId, account_id: record.accountId, account_name: 'someone' },
      ...{ kind: 'write', grants: '[]', verb_groups: null, expires_at: null, revoked_at: null },
    }
    const head = { version: () => version, isFresh: () => true, async look() {}, async close() {} }
    const query = async <Row>({ values = [] }: { values?: readonly unknown[] }) => {
      statements.push(JSON.parse(String(values[0])))
      const isAgain = statements.length > 1
      // The statement has guessed the account; as nobody in particular, the repository is hidden.
      const guess = {
        ...row,
        viewer: record.accountId,
        is_there: 1,
        uid: 'private',
        ref_rules: '[]',
      }
      return [isAgain ? { ...row, viewer: null, is_there: 1, uid: null } : guess] as Row[]
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
