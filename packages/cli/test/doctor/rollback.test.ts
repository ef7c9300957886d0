/** A database that was rolled back beside its storage, as an operator meets it. */

import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { bothHere } from '../serve-here.ts'
import { examine, type Installation, installations, place } from './installation.ts'

const installation = installations()

async function run(
  { cwd, env = {} }: Pick<Installation, 'cwd' | 'env'>,
  ...args: readonly string[]
): Promise<string> {
  const { code, stdout, stderr } = await latchkeyHere(args, { cwd, env })
  expect([args, code, stderr]).toMatchObject([args, 0, expect.any(String)])
  return stdout
}

const rollbackLines = async (here: Installation) =>
  (await examine(here)).findings.filter(({ check }) => check === 'rollback')

/** Removes what SQLite keeps beside the file, so that nothing of the later database is left. */
function putBack(copy: string, file: string): void {
  for (const ending of ['-wal', '-shm']) rmSync(file + ending, { force: true })
  copyFileSync(copy, file)
}

function read(file: string, text: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return Object.values(database.prepare(text).get() ?? {})[0]
  } finally {
    database.close()
  }
}

test('the doctor reports a rollback before and after the hub has answered it, with the hub tokens', async () => {
  const here = await installation()
  const file = join(here.data, 'latchkey.db')
  await run(here, 'hub-token', 'create', 'ada', 'laptop', '--kind', 'write')
  expect(await rollbackLines(here)).toMatchObject([{ result: 'good' }])
  copyFileSync(file, `${file}.copy`)
  const id = String(read(file, 'SELECT id FROM hub_tokens'))
  await run(here, 'hub-token', 'revoke', id)
  putBack(`${file}.copy`, file)

  const tokens = `1 hub tokens of before may be live again: ada/laptop (${id})`
  const [before] = await rollbackLines(here)
  expect(before).toMatchObject({
    result: 'warning',
    found: expect.stringContaining(tokens),
    todo: expect.stringMatching(/^The next start of a hub ends every storage token\./),
  })
  await (await bothHere(here.data)).stop()
  const [after, ...more] = await rollbackLines(here)
  expect(more).toEqual([])
  expect(after).toMatchObject({
    result: 'warning',
    found: expect.stringMatching(
      /^the database was rolled back, and every storage token was ended/,
    ),
    todo: expect.stringContaining('latchkey hub-token list'),
  })
  expect(after?.found).toContain(tokens)
  await run(here, 'hub-token', 'revoke', id)
  expect((await rollbackLines(here))[0]?.found).toContain('no hub token of before is live')
})

test('the storage beside a hub reports the rollback where the data directory of the hub was rolled back too', async () => {
  const here = await installation()
  const file = join(here.data, 'latchkey.db')
  copyFileSync(file, `${file}.copy`)
  const first = await bothHere(here.data)
  await run(here, 'account', 'create', 'bob')
  const lost = Number(read(file, 'SELECT number FROM journal_head'))
  const catalogue = join(here.data, 'storage.db')
  const followed = () => expect(read(catalogue, 'SELECT applied FROM hub_link')).toBe(lost)
  await vi.waitFor(followed, 180_000)
  await first.stop()
  putBack(`${file}.copy`, file)
  rmSync(join(here.data, 'journal-number'))
  const second = await bothHere(here.data)
  onTestFinished(second.stop)
  const cut = "SELECT number FROM cut_offs WHERE kind = 'all'"
  await vi.waitFor(() => expect(read(file, cut)).toBeGreaterThan(lost), 180_000)
  expect(await rollbackLines(here)).toMatchObject([{ result: 'warning' }])
})

test('a restored backup is no rollback', async () => {
  const here = await installation()
  await run(here, 'backup', 'backup')
  await run(here, 'account', 'create', 'bob')
  const restored = { ...here, flags: [...here.flags, '--data', 'restored'] }
  await run(here, 'restore', 'backup', '--data', 'restored')
  // The number is of an entry that the backup does not have, and the restore has answered its loss.
  for (const kept of ['master.key', 'journal-number']) {
    copyFileSync(join(here.data, kept), join(here.cwd, 'restored', kept))
  }
  expect(await rollbackLines(restored)).toMatchObject([{ result: 'good' }])
  await (await bothHere(join(here.cwd, 'restored'))).stop()
  expect(await rollbackLines(restored)).toMatchObject([{ result: 'good' }])
})

describe.skipIf(isPostgresMissing('what the doctor says after its rollback is not tested'))(
  'with PostgreSQL',
  () => {
    let own: Awaited<ReturnType<typeof ownDatabase>>
    beforeAll(async () => {
      own = await ownDatabase()
    })

    test('the doctor names 20 of the hub tokens that may be live again, and how to see the rest', async () => {
      const here = { ...(await place()), env: { LATCHKEY_DATABASE: own.url } }
      const names = Array.from({ length: 21 }, (_, index) => `ci-${10 + index}`)
      const hubTokens = names.map((name) => ({ account: 'ada', name, kind: 'read' }))
      const input = JSON.stringify({ accounts: [{ name: 'ada' }], hubTokens })
      await run(here, 'account', 'create', 'root', '--administrator')
      await latchkeyHere(['apply', '-'], { ...here, input })
      expect(await rollbackLines(here)).toMatchObject([{ result: 'good' }])
      const copy = await own.cluster.createDatabase(`template ${own.name}`)
      onTestFinished(() => own.cluster.dropDatabase(copy))
      const id = await own.sql("select id from latchkey_hub.hub_tokens where name = 'ci-10'")
      await run(here, 'hub-token', 'revoke', id)

      const rolledBack = { ...here, env: { LATCHKEY_DATABASE: own.cluster.url(copy) } }
      const [line, ...more] = await rollbackLines(rolledBack)
      expect(more).toEqual([])
      expect(line).toMatchObject({
        result: 'warning',
        found: expect.stringContaining(
          `21 hub tokens of before may be live again: ada/ci-10 (${id}), ada/ci-11 (`,
        ),
      })
      expect(line?.found).toMatch(
        /ada\/ci-29 \(\w+\), and 1 more that "latchkey hub-token list --all" shows$/,
      )
      const listed = await run(rolledBack, 'hub-token', 'list', '--all', '--json')
      expect(names.filter((name) => !listed.includes(`"${name}"`))).toEqual([])
    })
  },
)
