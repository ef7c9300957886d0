/** A commit is decided twice: before its body is read, and in the transaction that moves its branch. To ask for a token is a question of its own. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { World } from '@latchkey/testing/hub/world'
import { startWorldWithForge } from '@latchkey/testing/hub/world-with-forge'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

const isGitThere = spawnSync('git', ['--version']).status === 0

const counted = vi.hoisted(() => ({ decisions: 0 }))

type Module = typeof import('../../src/permission/decide-permission.ts')

vi.mock('../../src/permission/decide-permission.ts', async (original) => {
  const { decidePermission } = await original<Module>()
  return {
    decidePermission(...wanted: Parameters<typeof decidePermission>) {
      counted.decisions += 1
      return decidePermission(...wanted)
    },
  }
})

const people = {
  accounts: [{ name: 'writer' }, { name: 'reader' }],
  namespaces: [{ name: 'acme', members: { writer: 'write', reader: 'read' } }],
  hubTokens: ['writer', 'reader'].map((account) => ({ account, name: 'token', kind: 'write' })),
}

describe.skipIf(!isGitThere)('a forge decides', () => {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-decisions-'))
  let world: World
  const ask = (path: string, body: string, who = 'writer') =>
    fetch(world.hub.url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.tokens[`${who}/token`]?.reveal()}`,
        'content-type': path.includes('/commit/') ? 'application/x-ndjson' : 'application/json',
      },
      body,
    })
  beforeAll(async () => {
    world = await startWorldWithForge(people, {}, { data })
    await ask('/api/repos/create', JSON.stringify({ name: 'bert', organization: 'acme' }))
  })
  afterAll(async () => {
    await world?.close()
    rmSync(data, { recursive: true, force: true })
  })

  const small = { key: 'file', value: { path: 'a.txt', content: 'a' } }
  /** The storage is not asked for a file without bytes. */
  const oid = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
  const large = { key: 'lfsFile', value: { path: 'a.bin', algo: 'sha256', oid, size: 0 } }
  const parentCommit = '1'.repeat(40)

  // biome-ignore format: a table is read by its columns
  test.each<[what: string, file: object, more: { who?: string; header?: object }, decisions: number, status: number]>([
    ['a small file',                                 small, {},                           2, 200],
    ['what is there already, without a transaction', small, {},                           2, 200],
    ['a large file',                                 large, {},                           3, 200],
    ['what it refuses before the body',              small, { who: 'reader' },            1, 403],
    ['what it refuses by what the branch has',       small, { header: { parentCommit } }, 2, 412],
  ])('a commit of %s', async (_, file, { who, header }, decisions, status) => {
    const lines = [{ key: 'header', value: { summary: 'a commit', ...header } }, file]
    const before = counted.decisions
    const body = lines.map((line) => JSON.stringify(line)).join('\n')
    const answer = await ask('/api/models/acme/bert/commit/main', body, who)
    expect([counted.decisions - before, answer.status]).toEqual([decisions, status])
  })
})
