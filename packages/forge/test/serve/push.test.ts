/** `git push` with the git of this machine: what moves, what is refused, and what the person reads. */

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { type ForgeWorld, startForge } from './forge-world.ts'
import { clone, gitIn } from './git-client.ts'

describe.skipIf(!isGitThere)('git push', () => {
  let world: ForgeWorld
  beforeAll(async () => {
    world = await startForge()
  })
  afterAll(() => world?.stopped())

  const gitDirOf = async (name: string) => {
    const shown = await world.done('repo show', { repository: `models/acme/${name}` })
    return join(world.data, 'repositories', `${(shown as { uid: string }).uid}.git`)
  }
  const refsOf = async (name: string) => {
    const dir = await gitDirOf(name)
    const format = '--format=%(refname) %(objectname)'
    const args = ['--git-dir', dir, 'for-each-ref', format, 'refs/heads', 'refs/tags', 'refs/pr']
    const lines = execFileSync('git', args, { encoding: 'utf8' }).trim().split('\n')
    return Object.fromEntries(lines.map((line) => line.split(' ') as [string, string]))
  }
  const api = async (name: string, rest: string) =>
    (await world.ask(`/api/models/acme/${name}${rest}`, { as: 'reader' })).json

  test('brings commits, branches and tags, and the API shows them at once', async () => {
    await world.create('pushed')
    const ada = await clone(world, 'pushed', 'writer')
    const commit = await ada.commit({ 'a.txt': 'a', 'folder/b.txt': 'b' })
    expect(await ada.git('push', 'origin', 'main')).toContain('main -> main')
    expect((await api('pushed', '')).sha).toBe(commit)
    const tree = await api('pushed', '/tree/main/folder')
    expect(tree).toMatchObject([{ path: 'folder/b.txt', size: 1 }])

    await ada.git('checkout', '--quiet', '-b', 'topic/one')
    const topic = await ada.commit({ 'c.txt': 'c' })
    await ada.git('tag', 'light')
    await ada.git('tag', '-a', 'v1', '-m', 'the first')
    await ada.git('push', 'origin', 'topic/one', '--tags')
    const refs = await refsOf('pushed')
    expect(refs).toMatchObject({
      'refs/heads/main': commit,
      'refs/heads/topic/one': topic,
      'refs/tags/light': topic,
      'refs/tags/v1': await ada.git('rev-parse', 'refs/tags/v1'),
    })
    const shown = await api('pushed', '/refs')
    expect(shown.tags).toMatchObject([
      { name: 'light', targetCommit: topic },
      { name: 'v1', targetCommit: topic },
    ])
    const other = await clone(world, 'pushed', 'reader')
    expect(await other.git('log', '-1', '--format=%H', 'v1')).toBe(topic)
    expect(await ada.git('push', 'origin', 'main')).toContain('up-to-date')
  })

  test('fills a repository that has no commit yet', async () => {
    await world.done('repo create', { repository: 'models/acme/empty' })
    const ada = await gitIn()
    await ada.git('init', '--quiet', '--initial-branch=main', '.')
    const commit = await ada.commit({ 'a.txt': 'a' })
    const address = `${world.hub.url.replace('//', `//git:${world.tokenOf('writer')}@`)}/acme/empty`
    await ada.git('push', address, 'main')
    expect((await api('empty', '')).sha).toBe(commit)
    const other = await clone(world, 'empty', 'reader')
    expect(await other.git('rev-parse', 'HEAD')).toBe(commit)
  })

  test('brings the commit that the directory has already', async () => {
    const repository = 'models/acme/recorded'
    await world.done('repo create', { repository })
    const ada = await gitIn()
    await ada.git('init', '--quiet', '--initial-branch=main', '.')
    const first = await ada.commit({ 'a.txt': 'a' })
    await world.done('ref set', { repository, ref: 'main', commit: first })
    const address = `${world.hub.url.replace('//', `//git:${world.tokenOf('writer')}@`)}/acme/recorded`
    const other = await gitIn()
    await other.git('init', '--quiet', '--initial-branch=main', '.')
    await other.commit({ 'b.txt': 'b' })
    expect((await other.tryGit('push', '--force', address, 'main')).text).toContain(
      'non-fast-forward',
    )
    const second = await ada.commit({ 'b.txt': 'b' })
    await ada.git('push', address, 'main')
    expect((await api('recorded', '')).sha).toBe(second)
    expect(await refsOf('recorded')).toEqual({ 'refs/heads/main': second })
  })

  test('works from a shallow clone', async () => {
    await world.create('shallow')
    await world.commit('shallow', { 'a.txt': 'a' })
    const ada = await gitIn()
    const address = `${world.hub.url.replace('//', `//git:${world.tokenOf('writer')}@`)}/acme/shallow`
    await ada.git('clone', '--quiet', '--depth', '1', address, '.')
    const commit = await ada.commit({ 'b.txt': 'b' })
    await ada.git('push', 'origin', 'main')
    expect((await api('shallow', '')).sha).toBe(commit)
  })

  test('is refused where somebody else was first', async () => {
    await world.create('raced')
    const [ada, bob] = [await clone(world, 'raced', 'writer'), await clone(world, 'raced', 'owner')]
    await ada.commit({ 'a.txt': 'of ada' })
    await bob.commit({ 'a.txt': 'of bob' })
    const ends = await Promise.all([
      ada.tryGit('push', 'origin', 'main'),
      bob.tryGit('push', 'origin', 'main'),
    ])
    expect(ends.map(({ code }) => code).toSorted()).toEqual([0, 1])
    expect(ends.map(({ text }) => text).join()).toMatch(/fetch first/)
  })

  const rule = (name: string, pattern: string, more: object = { allowForce: true }) =>
    world.done('ref-rule set', {
      repository: `models/acme/${name}`,
      pattern,
      write: 'write',
      ...more,
    })

  test('leaves the history behind only where a ref rule allows it', async () => {
    await world.create('forced')
    const ada = await clone(world, 'forced', 'writer')
    const before = await ada.commit({ 'a.txt': 'a' })
    await ada.git('push', 'origin', 'main', 'main:dev/x')
    await ada.git('commit', '--quiet', '--amend', '-m', 'another')
    const after = await ada.git('rev-parse', 'HEAD')
    const { code, text } = await ada.tryGit('push', '--force', 'origin', 'main', 'main:dev/x')
    expect([code, text]).toEqual([1, expect.stringContaining('non-fast-forward')])
    await rule('forced', 'dev/*')
    const again = await ada.tryGit('push', '--force', 'origin', 'main', 'main:dev/x')
    expect([again.code, again.text]).toEqual([1, expect.stringMatching(/forced update/)])
    expect(await refsOf('forced')).toMatchObject({
      'refs/heads/main': before,
      'refs/heads/dev/x': after,
    })
    // Clients may have the hash of the commit that the branch has left.
    expect(
      (await world.ask(`/api/models/acme/forced/tree/${before}`, { as: 'reader' })).status,
    ).toBe(200)
  })

  test('moves or deletes a tag only where a ref rule allows it', async () => {
    await world.create('tagged')
    const ada = await clone(world, 'tagged', 'writer')
    await ada.git('tag', '-a', 'v1', '-m', 'one')
    const before = await ada.git('rev-parse', 'refs/tags/v1')
    await ada.git('push', 'origin', 'v1')
    const moved = await ada.commit({ 'a.txt': 'a' })
    await ada.git('tag', '-f', 'v1')
    for (const words of [
      ['--force', 'origin', 'v1'],
      ['origin', ':refs/tags/v1'],
    ]) {
      const { code, text } = await ada.tryGit('push', ...words)
      expect([code, text]).toEqual([1, expect.stringContaining('Tags stay')])
    }
    expect((await refsOf('tagged'))['refs/tags/v1']).toBe(before)
    await rule('tagged', 'refs/tags/*')
    await ada.git('push', '--force', 'origin', 'v1')
    expect((await refsOf('tagged'))['refs/tags/v1']).toBe(moved)
    expect((await api('tagged', '/refs')).tags).toMatchObject([{ targetCommit: moved }])
    await ada.git('push', 'origin', '--delete', 'v1')
    expect(Object.keys(await refsOf('tagged'))).toEqual(['refs/heads/main'])
  })

  test('with --atomic moves all refs or none', async () => {
    await world.create('atomic')
    const ada = await clone(world, 'atomic', 'writer')
    const before = await ada.git('rev-parse', 'HEAD')
    await ada.commit({ 'a.txt': 'a' })
    const refs = ['main', 'main:refs/heads/new', 'main:refs/latchkey/keep/x']
    const { code, text } = await ada.tryGit('push', '--atomic', 'origin', ...refs)
    expect([code, text]).toEqual([1, expect.stringContaining('atomic push failed')])
    expect(await refsOf('atomic')).toEqual({ 'refs/heads/main': before })
    const each = await ada.tryGit('push', 'origin', ...refs)
    expect([each.code, each.text]).toEqual([1, expect.stringContaining('branches, tags and')])
    expect(Object.keys(await refsOf('atomic'))).toEqual(['refs/heads/main', 'refs/heads/new'])
  })

  test('writes only the refs of its hub token, and says so', async () => {
    await world.create('limited')
    const made = await world.done('hub-token create', {
      ...{ account: 'ci-bot', name: 'limited', kind: 'fine-grained' },
      grants: [
        { on: 'acme/*', contents: 'read' },
        { on: 'acme/*', contents: 'write', refs: ['ci/*'] },
      ],
    })
    const ada = await clone(world, 'limited', 'writer')
    await ada.commit({ 'a.txt': 'a' })
    const secret = (made as { token: string }).token
    const address = `${world.hub.url.replace('//', `//git:${secret}@`)}/acme/limited`
    const { code, text } = await ada.tryGit('push', address, 'main', 'main:ci/new')
    expect(code).toBe(1)
    expect(text).toMatch(/rejected\] main -> main \(This hub token may not .* grant/)
    expect(text).toContain('main -> ci/new')
    const some = `${world.hub.url.replace('//', `//git:${world.tokenOf('ci-bot')}@`)}/acme/limited`
    expect((await ada.tryGit('push', some, 'main')).text).toMatch(
      /remote: Pushing with git needs a hub token that may read every ref/,
    )
  })

  test('is one for a pull request that its author opened, also with force', async () => {
    await world.create('proposed', { private: false })
    const body = [
      { key: 'header', value: { summary: 'a proposal' } },
      { key: 'file', value: { path: 'p.txt', content: 'p' } },
    ]
    const path = '/api/models/acme/proposed/commit/main?create_pr=1'
    expect((await world.ask(path, { as: 'reader', body })).status).toBe(200)
    const ada = await clone(world, 'proposed', 'reader')
    await ada.git('fetch', '--quiet', 'origin', 'refs/pr/1')
    await ada.git('checkout', '--quiet', 'FETCH_HEAD')
    await ada.commit({ 'q.txt': 'q' })
    await ada.git('push', 'origin', 'HEAD:refs/pr/1')
    await ada.git('commit', '--quiet', '--amend', '-m', 'another')
    await ada.git('push', '--force', 'origin', 'HEAD:refs/pr/1')
    expect((await refsOf('proposed'))['refs/pr/1']).toBe(await ada.git('rev-parse', 'HEAD'))
    for (const ref of ['refs/pr/2', 'refs/heads/main']) {
      expect((await ada.tryGit('push', 'origin', `HEAD:${ref}`)).code).toBe(1)
    }
    const bob = await clone(world, 'proposed', 'stranger')
    expect((await bob.tryGit('push', 'origin', 'HEAD:refs/pr/1')).text).toContain(
      'This push is refused',
    )
  })

  test('deletes a branch, and never the default one', async () => {
    await world.create('deleting')
    const ada = await clone(world, 'deleting', 'writer')
    await ada.commit({ 'a.txt': 'a' })
    await ada.git('push', 'origin', 'main', 'main:dev')
    await ada.git('push', 'origin', '--delete', 'dev')
    const { code, text } = await ada.tryGit('push', 'origin', '--delete', 'main')
    expect([code, text]).toEqual([1, expect.stringContaining('default branch')])
    expect(Object.keys(await refsOf('deleting'))).toEqual(['refs/heads/main'])
  })

  test('with a hub token that only reads is refused in a sentence', async () => {
    await world.create('read-only')
    const reading = world.tokens['writer/reading']?.reveal() ?? ''
    for (const secret of [reading, world.tokenOf('reader')]) {
      const ada = await gitIn()
      await ada.git('init', '--quiet', '.')
      await ada.commit({ 'a.txt': 'a' })
      const address = world.hub.url.replace('//', `//git:${secret}@`)
      const { code, text } = await ada.tryGit('push', `${address}/acme/read-only`, 'HEAD:x')
      expect(code).not.toBe(0)
      expect(text).toMatch(/remote: This push is refused: it needs .*write/)
    }
  })
})
