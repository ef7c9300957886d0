/** A caller who is limited to some refs gets nothing of the others, on every route that there is. */

import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { everyRoute } from './every-route.ts'
import { type Asking, type ForgeWorld, startForge } from './forge-world.ts'

const name = 'limited'
const repository = `models/acme/${name}`
const file = 'hidden-name.txt'
const content = 'the content of a branch that is closed'
const header = { key: 'header', value: { summary: 'a commit' } }

/** What no answer may hold. */
interface Secrets {
  readonly commit: string
  readonly tree: string
  readonly blob: string
}

describe.skipIf(!isGitThere)('a hub token for main and ci/*', () => {
  let world: ForgeWorld
  let secrets: Secrets
  let token: string
  beforeAll(async () => {
    world = await startForge()
    await world.apply({
      hubTokens: [
        {
          ...{ account: 'ci-bot', name: 'limited', kind: 'fine-grained' },
          grants: [{ on: 'acme/*', contents: 'write', refs: ['main', 'ci/*'] }],
        },
      ],
    })
    token = world.tokens['ci-bot/limited']?.reveal() ?? ''
    await world.create(name)
    const { json } = await world.commit(name, { 'open.txt': 'open' })
    const made = { repository, commit: json.commitOid, from: 'main' }
    await world.done('ref set', { ...made, ref: 'secret' })
    const closed = await world.commit(name, { [file]: content }, { revision: 'secret' })
    const commit: string = closed.json.commitOid
    await world.done('ref set', { repository, ref: 'refs/tags/v-secret', commit })
    const [folder = ''] = readdirSync(join(world.data, 'repositories'))
    const ask = (what: string) => {
      const cwd = join(world.data, 'repositories', folder)
      return execFileSync('git', ['rev-parse', what], { cwd }).toString().trim()
    }
    secrets = { commit, tree: ask(`${commit}^{tree}`), blob: ask(`${commit}:${file}`) }
  })
  afterAll(() => world?.stopped())

  const ask = (path: string, asking: Asking = {}) =>
    world.ask(path, { ...asking, headers: { authorization: `Bearer ${token}` } })
  /** An error may say what the caller has said. */
  const leaks = (text: string, said: string) =>
    [content, file, ...Object.values(secrets), 'secret'].filter(
      (secret) => text.includes(secret) && !said.includes(secret),
    )

  test('reads and writes its own refs', async () => {
    const files = await ask(`/api/models/acme/${name}/tree/main`)
    expect(files.json.map(({ path }: { path: string }) => path)).toEqual([
      '.gitattributes',
      'open.txt',
    ])
    const made = await ask(`/api/models/acme/${name}/commit/main`, {
      body: [header, { key: 'file', value: { path: 'ci.txt', content: 'ci' } }],
    })
    expect(made.status).toBe(200)
  })

  // biome-ignore format: a table is read by its columns
  test.each<[what: string, revision: () => string]>([
    ['the name of a branch',      () => 'secret'],
    ['the full name of a branch', () => 'refs%2Fheads%2Fsecret'],
    ['the name of a tag',         () => 'v-secret'],
    ['the full name of a tag',    () => 'refs%2Ftags%2Fv-secret'],
    ['the hash of a commit',      () => secrets.commit],
    ['the hash of a folder',      () => secrets.tree],
    ['the hash of a file',        () => secrets.blob],
  ])('gets nothing of the others by %s', async (_, revisionOf) => {
    const revision = revisionOf()
    const naming = new Set(everyRoute({ name, revision: '' }).map(({ path }) => path))
    const questions = everyRoute({ name, revision, path: file }).filter(
      ({ path, asking }) => !naming.has(path) || JSON.stringify(asking.body)?.includes(revision),
    )
    expect(questions.length).toBeGreaterThan(12)
    for (const { route, path, asking } of questions) {
      const { status, text } = await ask(path, asking)
      expect([route, status >= 400 && status !== 500]).toEqual([route, true])
      expect([route, leaks(text, path + JSON.stringify(asking.body))]).toEqual([route, []])
    }
  })

  // conformance: Forge / A caller that is limited to some refs sees only these refs
  test('gets nothing of the others where no revision is named, and nothing from git', async () => {
    for (const { route, path, asking } of everyRoute({ name, path: file })) {
      if (route.startsWith('DELETE') || route.includes('repos/')) continue
      const { status, text } = await ask(path, asking)
      expect([route, status === 500]).toEqual([route, false])
      expect([route, leaks(text, path + JSON.stringify(asking.body))]).toEqual([route, []])
      if (route.includes('.git/')) expect([route, status >= 400]).toEqual([route, true])
    }
    const want = `0032want ${secrets.commit}\n00000009done\n`
    const pack = await fetch(`${world.hub.url}/acme/${name}.git/git-upload-pack`, {
      ...{ method: 'POST', body: want },
      headers: {
        authorization: `Basic ${Buffer.from(`ci-bot:${token}`).toString('base64')}`,
        'content-type': 'application/x-git-upload-pack-request',
      },
    })
    expect(pack.status).toBe(403)
  })

  // conformance: Forge / A caller that is limited to some refs sees only these refs
  test('brings nothing of the others into a commit of its own', async () => {
    const address = `/api/models/acme/${name}/commit/main`
    const late = { key: 'header', value: { summary: 'late', parentCommit: secrets.commit } }
    const onto = await ask(address, {
      body: [late, { key: 'file', value: { path: 'x', content: 'x' } }],
    })
    expect(onto.status).toBe(412)
    for (const srcRevision of ['secret', secrets.commit, undefined]) {
      const value = { path: 'copy.txt', srcPath: file, ...(srcRevision && { srcRevision }) }
      const copied = await ask(address, { body: [header, { key: 'copyFile', value }] })
      expect(copied.status).toBeGreaterThanOrEqual(400)
      expect(copied.status).not.toBe(500)
    }
    const head = await ask(`/api/models/acme/${name}/tree/main`)
    expect(head.text).not.toContain('copy.txt')
  })
})
