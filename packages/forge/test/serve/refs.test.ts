/** Branches and tags over the API. */

import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { type ForgeWorld, startForge, type Who } from './forge-world.ts'

describe.skipIf(!isGitThere)('refs over the API', () => {
  let world: ForgeWorld
  beforeAll(async () => {
    world = await startForge({ hidePrivateRepositories: true })
  })
  afterAll(() => world?.stopped())

  const api = (name: string, rest: string) => `/api/models/acme/${name}/${rest}`
  const refsOf = async (name: string) => {
    const { json } = await world.ask(api(name, 'refs?include_prs=1'), { as: 'owner' })
    const all = [...json.branches, ...json.tags, ...json.pullRequests]
    return Object.fromEntries(all.map(({ ref, targetCommit }) => [ref, targetCommit]))
  }
  const branch = (name: string, text: string, body: object = {}, as: Who = 'writer') =>
    world.ask(api(name, `branch/${encodeURIComponent(text)}`), { as, body })
  const tag = (name: string, revision: string, body: object, as: Who = 'writer') =>
    world.ask(api(name, `tag/${encodeURIComponent(revision)}`), { as, body })
  const remove = (name: string, rest: string, as: Who = 'writer') =>
    world.ask(api(name, rest), { as, method: 'DELETE' })
  const gitIn = async (name: string, words: readonly string[]) => {
    const { uid } = (await world.done('repo show', { repository: `models/acme/${name}` })) as {
      uid: string
    }
    const place = join(world.data, 'repositories', `${uid}.git`)
    return execFileSync('git', ['--git-dir', place, ...words], { encoding: 'utf8' }).trim()
  }

  test('what is there, is no name, or is no revision is refused, and nothing changes', async () => {
    await world.create('refused')
    expect((await branch('refused', 'dev')).status).toBe(200)
    const before = await refsOf('refused')
    const told = [
      await branch('refused', 'dev'),
      await branch('refused', 'dev/below'),
      await branch('refused', 'refs/pr/5'),
      await branch('refused', 'a..b'),
      await branch('refused', 'new', { startingPoint: 'nowhere' }),
      await branch('refused', 'new', { startingPoint: 7 }),
      await tag('refused', 'main', { tag: 'dev' }),
      await tag('refused', 'main', { tag: 'a..b' }),
      await tag('refused', 'nowhere', { tag: 'v1' }),
      await remove('refused', 'branch/nowhere'),
      await remove('refused', 'tag/nowhere'),
      await remove('refused', 'branch/main'),
    ]
    expect(told.map(({ status }) => status)).toEqual([
      ...[409, 409, 400, 400, 404, 400, 409, 400, 404, 404, 404, 400],
    ])
    expect(await refsOf('refused')).toEqual(before)
    expect(readdirSync(join(world.data, 'forge', 'pending'))).toEqual([])
  })

  test('ref rules, roles and grants hold, and a stranger learns nothing', async () => {
    await world.create('ruled')
    const repository = 'models/acme/ruled'
    await world.done('ref-rule set', { repository, pattern: 'release/*', write: 'admin' })
    await world.done('ref-rule set', { repository, pattern: 'refs/tags/*', write: 'admin' })
    expect((await branch('ruled', 'release/1', {}, 'owner')).status).toBe(200)
    const told = [
      await branch('ruled', 'dev', {}, 'reader'),
      await branch('ruled', 'release/2'),
      await branch('ruled', 'release/1', { startingPoint: 'main', overwrite: true }),
      await remove('ruled', 'branch/release%2F1'),
      await tag('ruled', 'main', { tag: 'v1' }),
      await branch('ruled', 'dev', {}, 'ci-bot'),
      await tag('ruled', 'main', { tag: 'v1' }, 'ci-bot'),
      await remove('ruled', 'branch/release%2F1', 'ci-bot'),
    ]
    expect(told.map(({ status }) => status)).toEqual(told.map(() => 403))
    const doors = (name: string) => [
      branch(name, 'dev', {}, 'stranger'),
      tag(name, 'main', { tag: 'v1' }, 'stranger'),
      remove(name, 'branch/main', 'stranger'),
      remove(name, 'tag/v1', 'stranger'),
    ]
    const seen = async (name: string) =>
      (await Promise.all(doors(name))).map(({ status, json: { code, detail } }) => [
        ...[status, code, detail],
      ])
    expect(await seen('ruled')).toEqual(await seen('absent'))
  })

  test('branches begin at any revision, empty, or where another was; what they leave is kept', async () => {
    await world.create('branches')
    const main = (await refsOf('branches'))['refs/heads/main']
    const { json: made } = await world.commit('branches', { 'a.txt': 'a' })
    expect((await branch('branches', 'old', { startingPoint: main })).status).toBe(200)
    expect((await branch('branches', 'dev/x')).status).toBe(200)
    expect((await branch('branches', 'empty', { emptyBranch: true })).status).toBe(200)
    expect((await branch('branches', 'dev/x', { overwrite: true })).status).toBe(200)
    expect(await refsOf('branches')).toEqual({
      'refs/heads/main': made.commitOid,
      'refs/heads/old': main,
      'refs/heads/dev/x': made.commitOid,
    })
    const filled = await world.commit('branches', { 'b.txt': 'b' }, { revision: 'empty' })
    expect(filled.status).toBe(200)
    const forced = { startingPoint: 'main', overwrite: true }
    expect((await branch('branches', 'empty', forced)).status).toBe(403)
    await world.done('ref-rule set', {
      ...{ repository: 'models/acme/branches', pattern: 'empty', write: 'write', allowForce: true },
    })
    expect((await branch('branches', 'empty', forced)).status).toBe(200)
    expect((await remove('branches', 'branch/old')).status).toBe(200)
    const kept = await gitIn('branches', ['for-each-ref', '--format=%(refname)', 'refs/latchkey/'])
    expect(kept.split('\n')).toContain(`refs/latchkey/keep/${filled.json.commitOid}`)
    const advertised = await world.ask('/acme/branches.git/info/refs?service=git-upload-pack', {
      ...{ as: 'writer' },
    })
    expect(advertised.text).not.toContain('refs/latchkey')
    const old = await world.ask(`/acme/branches/resolve/${filled.json.commitOid}/b.txt`, {
      as: 'reader',
    })
    expect(old.text).toBe('b')
  })

  test('a tag with a message is a tag object, and git keeps it when the hub moves another ref', async () => {
    await world.create('tags')
    expect((await tag('tags', 'main', { tag: 'v1', message: 'first\nof all' })).status).toBe(200)
    expect((await tag('tags', 'main', { tag: 'v2' })).status).toBe(200)
    const main = (await refsOf('tags'))['refs/heads/main']
    expect(await gitIn('tags', ['cat-file', '-t', 'refs/tags/v1'])).toBe('tag')
    expect(await gitIn('tags', ['cat-file', '-p', 'refs/tags/v1'])).toContain('first\nof all')
    await world.done('ref set', { repository: 'models/acme/tags', ref: 'by-hand', commit: main })
    await world.ask('/acme/tags.git/info/refs?service=git-upload-pack', { as: 'writer' })
    expect(await gitIn('tags', ['rev-parse', 'refs/heads/by-hand'])).toBe(main)
    expect(await gitIn('tags', ['cat-file', '-t', 'refs/tags/v1'])).toBe('tag')
    expect(await gitIn('tags', ['fsck', '--strict'])).toBe('')
    expect((await remove('tags', 'tag/v1')).status).toBe(200)
    expect(Object.keys(await refsOf('tags'))).toEqual([
      ...['refs/heads/by-hand', 'refs/heads/main', 'refs/tags/v2'],
    ])
  })

  const shownByGit = async (name: string) => {
    const { text } = await world.ask(`/acme/${name}.git/info/refs?service=git-upload-pack`, {
      as: 'writer',
    })
    return text.match(/[0-9a-f]{40} refs\/heads\/\w+/g) ?? []
  }

  // conformance: Forge / Git follows the hub's database
  test('git keeps the commit that a branch had when the hub itself was told to move it, also where a commit comes first', async () => {
    await world.create('moved')
    const repository = 'models/acme/moved'
    const first = (await refsOf('moved'))['refs/heads/main']
    const { json: left } = await world.commit('moved', { 'a.txt': 'a' })
    await world.done('ref set', { repository, ref: 'main', commit: first })
    const { json: made } = await world.commit('moved', { 'b.txt': 'b' })
    const kept = await gitIn('moved', ['for-each-ref', '--format=%(refname)', 'refs/latchkey/'])
    expect(kept).toBe(`refs/latchkey/keep/${left.commitOid}`)
    expect(await shownByGit('moved')).toEqual([`${made.commitOid} refs/heads/main`])
    const parents = await gitIn('moved', ['rev-list', made.commitOid])
    expect(parents.split('\n')).toEqual([made.commitOid, first])
  })

  // conformance: Forge / Git follows the hub's database
  test('a branch that the hub was told to move to a commit which is not here is shown by nothing, and comes back', async () => {
    await world.create('unknown')
    const repository = 'models/acme/unknown'
    const main = (await refsOf('unknown'))['refs/heads/main']
    expect((await branch('unknown', 'dev')).status).toBe(200)
    await world.done('ref set', { repository, ref: 'main', commit: '12'.repeat(20) })
    expect(await shownByGit('unknown')).toEqual([`${main} refs/heads/dev`])
    expect(
      (await world.ask('/acme/unknown/resolve/main/.gitattributes', { as: 'writer' })).status,
    ).toBe(404)
    expect((await world.commit('unknown', { 'a.txt': 'a' })).status).toBe(409)
    await world.done('ref set', { repository, ref: 'main', commit: main })
    expect(await shownByGit('unknown')).toEqual([
      ...[`${main} refs/heads/dev`, `${main} refs/heads/main`],
    ])
    expect((await world.commit('unknown', { 'a.txt': 'a' })).status).toBe(200)
  })

  test('a commit on a branch that is deleted meanwhile is refused or made, and nothing is half done', async () => {
    await world.create('raced')
    for (let round = 0; round < 3; round += 1) {
      expect((await branch('raced', 'dev')).status).toBe(200)
      const [committed, removed] = await Promise.all([
        world.commit('raced', { [`${round}.txt`]: 'x' }, { revision: 'dev' }),
        remove('raced', 'branch/dev'),
      ])
      expect([200, 404]).toContain(committed.status)
      expect([200, 409]).toContain(removed.status)
      if (removed.status === 409) expect((await remove('raced', 'branch/dev')).status).toBe(200)
      expect(Object.keys(await refsOf('raced'))).toEqual(['refs/heads/main'])
    }
    expect(readdirSync(join(world.data, 'forge', 'pending'))).toEqual([])
    expect(await gitIn('raced', ['for-each-ref', '--format=%(refname)', 'refs/heads/'])).toBe(
      'refs/heads/main',
    )
  })
})
