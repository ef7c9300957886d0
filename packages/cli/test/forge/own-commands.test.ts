/** The hub's own commands beside a forge that runs: they delete no ref whose content is needed, and git follows what they do. */

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '@latchkey/testing/tools/find-program'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { type Here, hubHere } from '../serve-here.ts'

const isGitMissing = findProgram('git') === undefined
if (isGitMissing)
  console.warn('NOT TESTED: git is not installed, so no command runs beside a forge')
const run = promisify(execFile)
const none = '0'.repeat(40)

const people = {
  accounts: [{ name: 'ada', administrator: true }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  hubTokens: [
    { account: 'ada', name: 'laptop', kind: 'write' },
    { account: 'ada', name: 'admin', kind: 'admin' },
  ],
}

let hub: Here
let cwd: string
const tokens = { laptop: '', admin: '' }
beforeAll(async () => {
  if (isGitMissing) return
  cwd = mkdtempSync(join(tmpdir(), 'latchkey-own-'))
  const { stdout } = await latchkeyHere(['apply', '-', '--json', '--data', 'data'], {
    ...{ cwd, input: JSON.stringify(people) },
  })
  for (const { name, token } of JSON.parse(stdout).hubTokens)
    Object.assign(tokens, { [name]: token })
  hub = await hubHere(join(cwd, 'data'), { forge: true })
})
afterAll(async () => {
  await hub?.stop()
  if (cwd !== undefined) rmSync(cwd, { recursive: true })
})

const api = async (path: string, body: string, method = 'POST') => {
  const isLines = path.includes('/commit/')
  const answer = await fetch(`${hub.url}/api/${path}`, {
    ...{ method, body: method === 'DELETE' ? null : body },
    headers: {
      authorization: `Bearer ${tokens.laptop}`,
      'content-type': isLines ? 'application/x-ndjson' : 'application/json',
    },
  })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${answer.status}: ${text}`)
  return JSON.parse(text)
}

const commit = async (model: string, branch: string): Promise<string> => {
  const lines = [
    { key: 'header', value: { summary: 'adds a file' } },
    { key: 'file', value: { path: 'a.txt', content: branch, encoding: 'utf-8' } },
  ]
  const body = lines.map((line) => JSON.stringify(line)).join('\n')
  return (await api(`models/acme/${model}/commit/${branch}`, body)).commitOid
}

/** A model with a commit of its own on dev, which main takes over by a command of the hub. */
const takenOver = async (model: string): Promise<string> => {
  await api('repos/create', JSON.stringify({ name: model, organization: 'acme' }))
  await api(`models/acme/${model}/branch/dev`, '{}')
  const oid = await commit(model, 'dev')
  expect((await own(['ref', 'set', `models/acme/${model}`, 'main', oid])).code).toBe(0)
  return oid
}

/** On the database, beside the hub that runs. */
const own = (args: readonly string[], input = '') =>
  latchkeyHere([...args, '--data', 'data'], { cwd, input })

const atHub = (args: readonly string[], input = '') =>
  latchkeyHere([...args, '--hub', hub.url], {
    ...{ cwd, input, env: { LATCHKEY_HUB_TOKEN: tokens.admin } },
  })

/** As a client of git sees them, in short. */
const refsOfGit = async (model: string): Promise<Readonly<Record<string, string>>> => {
  const url = `${hub.url.replace('//', `//ada:${tokens.laptop}@`)}/acme/${model}`
  const { stdout } = await run('git', ['ls-remote', '--heads', url])
  const lines = stdout.trim().split('\n').filter(Boolean)
  return Object.fromEntries(
    lines.map((line) =>
      line
        .split('\t')
        .reverse()
        .map((text) => text.replace('refs/heads/', '')),
    ),
  )
}

const refused = (model: string, place = '') => ({
  code: 1,
  stdout: '',
  stderr: expect.stringMatching(
    new RegExp(
      `^latchkey: ${place}Deleting dev of models/acme/${model} would lose content: 1 commit on record and the ref main may need .+ Delete dev through the forge, .+ DELETE /api/models/acme/${model}/branch/dev; with --lose-content`,
    ),
  ),
})

// conformance: Forge / Content follows refs
test.skipIf(isGitMissing)(
  'no command deletes a branch whose content another branch needs, on the database or at the hub; the plan says so first',
  async () => {
    const model = 'needed'
    const oid = await takenOver(model)
    const repository = `models/acme/${model}`
    const push = `${oid} ${none} refs/heads/dev\n`
    const file = JSON.stringify({
      accounts: [{ name: 'ada', administrator: true }, { name: 'new' }],
      repositories: [{ type: 'model', id: `acme/${model}`, branches: { main: oid } }],
    })
    for (const ask of [own, atHub]) {
      expect(await ask(['ref', 'delete', repository, 'dev'])).toEqual(refused(model))
      expect(await ask(['ref', 'update', repository], push)).toEqual(refused(model))
      for (const flags of [['--dry-run'], []]) {
        const told = await ask(['apply', '-', '--prune', ...flags], file)
        expect(told).toEqual(refused(model, 'repositories\\[0\\]: '))
      }
    }
    const { stdout } = await own(['account', 'list', '--json'])
    expect(JSON.parse(stdout).items).toHaveLength(1)
    expect(await refsOfGit(model)).toEqual({ main: oid, dev: oid })
    await api(`models/acme/${model}/branch/dev`, '', 'DELETE')
    expect(await refsOfGit(model)).toEqual({ main: oid })
  },
)

// conformance: Forge / Git follows the hub's database
test.skipIf(isGitMissing)(
  'with --lose-content the branch goes, at once in git, too; a repository that no forge holds needs no flag',
  async () => {
    for (const [model, ask] of [
      ['lost', own],
      ['lost-at-hub', atHub],
    ] as const) {
      const oid = await takenOver(model)
      const deleting = ['ref', 'delete', `models/acme/${model}`, 'dev', '--lose-content']
      expect(await ask(deleting)).toMatchObject({ code: 0 })
      expect(await refsOfGit(model)).toEqual({ main: oid })
    }
    const repository = 'models/acme/elsewhere'
    expect((await own(['repo', 'create', repository])).code).toBe(0)
    for (const ref of ['dev', 'main']) {
      expect((await own(['ref', 'set', repository, ref, '1'.repeat(40)])).code).toBe(0)
    }
    expect(await own(['ref', 'delete', repository, 'dev'])).toMatchObject({ code: 0 })
  },
)
