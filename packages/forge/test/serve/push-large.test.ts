/** Pushes of pointers: the storage must have the content of each, and the ref gets it before it moves. */

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { clone } from './git-client.ts'
import { type LargeWorld, startLargeForge } from './large-world.ts'

const pointerOf = (bytes: Buffer, size = bytes.length) =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${createHash('sha256').update(bytes).digest('hex')}\nsize ${size}\n`

describe.skipIf(!isGitThere)('a push of large files', () => {
  let world: LargeWorld
  beforeAll(async () => {
    world = await startLargeForge()
  })
  afterAll(() => world?.stopped())

  const headOf = async (name: string) =>
    (await world.ask(`/api/models/acme/${name}`, { as: 'owner' })).json.sha
  const adoptions = () => world.storage.asked.filter((one) => one.endsWith('/adopt')).length

  // conformance: Forge / A push cannot name content that the storage does not have
  test('whose content is missing is refused with their names, and no ref moves', async () => {
    await world.create('missing')
    const ada = await clone(world, 'missing', 'writer')
    const before = await ada.git('rev-parse', 'HEAD')
    const files = Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => [
        `${name}.bin`,
        pointerOf(Buffer.from(name)),
      ]),
    )
    await ada.commit({ ...files, 'readme.txt': 'small' })
    const { code, text } = await ada.tryGit('push', 'origin', 'main', 'main:other')
    expect(code).toBe(1)
    expect(text).toContain('no content for the large files "a.bin", "b.bin", "c.bin"')
    expect(text).toContain('and 2 more')
    expect(await headOf('missing')).toBe(before)
    const refs = await world.ask('/api/models/acme/missing/refs', { as: 'owner' })
    expect(refs.json.branches).toHaveLength(1)
  })

  test('also counts those of older commits, which the newest one does not have', async () => {
    await world.create('older')
    const ada = await clone(world, 'older', 'writer')
    await ada.commit({ 'gone.bin': pointerOf(Buffer.from('gone')) })
    await ada.git('rm', '--quiet', 'gone.bin')
    await ada.commit({ 'a.txt': 'a' })
    const { text } = await ada.tryGit('push', 'origin', 'main')
    expect(text).toContain('"gone.bin"')
    // Content of nothing is always there.
    await ada.git('reset', '--hard', '--quiet', 'origin/main')
    await ada.commit({ 'empty.bin': pointerOf(Buffer.alloc(0)) })
    await ada.git('push', 'origin', 'main')
  })

  test('of another size than the content has is refused', async () => {
    await world.create('sized')
    const bytes = Buffer.from('of five')
    world.storage.put(await world.casUrl('sized'), bytes)
    const ada = await clone(world, 'sized', 'writer')
    await ada.commit({ 'model.bin': pointerOf(bytes, 5) })
    expect((await ada.tryGit('push', 'origin', 'main')).text).toContain('"model.bin"')
    await ada.commit({ 'model.bin': pointerOf(bytes) })
    // The commit before has the false one.
    expect((await ada.tryGit('push', 'origin', 'main')).code).toBe(1)
    await ada.git('reset', '--soft', '--quiet', 'origin/main')
    await ada.commit({ 'model.bin': pointerOf(bytes) })
    await ada.git('push', 'origin', 'main')
  })

  test('that the branch has is taken, and becomes the own content of each ref that is made or moved', async () => {
    await world.create('large')
    const bytes = Buffer.from('weights')
    world.storage.put(await world.casUrl('large'), bytes)
    const ada = await clone(world, 'large', 'writer')
    const commit = await ada.commit({ 'model.bin': pointerOf(bytes) })
    let before = adoptions()
    await ada.git('push', 'origin', 'main')
    expect(await headOf('large')).toBe(commit)
    expect(adoptions()).toBe(before + 1)
    const listed = await world.ask('/api/models/acme/large/tree/main', { as: 'reader' })
    expect(listed.json).toContainEqual(
      expect.objectContaining({ path: 'model.bin', lfs: expect.objectContaining({ size: 7 }) }),
    )
    before = adoptions()
    await ada.git('push', 'origin', 'main:dev', 'HEAD:refs/tags/v1')
    expect(adoptions()).toBe(before + 2)
  })

  test('merged from another branch brings the content to the branch that it is merged into', async () => {
    await world.create('merged')
    const ada = await clone(world, 'merged', 'writer')
    await ada.git('push', 'origin', 'main:dev')
    const bytes = Buffer.from('of dev')
    world.storage.put(await world.casUrl('merged', 'dev'), bytes)
    await ada.git('checkout', '--quiet', '-b', 'dev', 'origin/main')
    await ada.commit({ 'dev.bin': pointerOf(bytes) })
    await ada.git('push', 'origin', 'dev')
    await ada.git('checkout', '--quiet', 'main')
    await ada.commit({ 'main.txt': 'main' })
    await ada.git('merge', '--quiet', '--no-edit', 'dev')
    const before = adoptions()
    await ada.git('push', 'origin', 'main')
    expect(adoptions()).toBe(before + 1)
    await ada.git('push', 'origin', '--delete', 'dev')
  })

  // Git counts all that the old commit has as known, and the branch has never had its content.
  test('merged from an old commit of the own history has its content, too', async () => {
    await world.create('old')
    const bytes = Buffer.from('of an old commit')
    world.storage.put(await world.casUrl('old'), bytes)
    const ada = await clone(world, 'old', 'writer')
    const old = await ada.commit({ 'old.bin': pointerOf(bytes) })
    await ada.git('rm', '--quiet', 'old.bin')
    const without = await ada.commit({ 'other.txt': 'other' })
    await ada.git('push', 'origin', 'main')
    await ada.git('push', 'origin', 'main:dev')
    const parents = ['-p', without, '-p', old]
    const merge = await ada.git('commit-tree', '-m', 'merge', ...parents, `${old}^{tree}`)
    const before = adoptions()
    await ada.git('push', 'origin', `${merge.trim()}:refs/heads/dev`)
    expect(adoptions()).toBe(before + 1)
  })

  test('of 500 commits is mirrored with its branches and tags', async () => {
    await world.create('mirrored')
    const ada = await clone(world, 'mirrored', 'writer')
    const all: Buffer[] = []
    const lines: string[] = []
    const head = await ada.git('rev-parse', 'HEAD')
    for (let at = 0; at < 500; at += 1) {
      const bytes = Buffer.from(`version ${at}`)
      if (at % 10 === 0) all.push(bytes)
      const text = at % 10 === 0 ? pointerOf(bytes) : `text ${at}`
      lines.push(
        `commit refs/heads/main\ncommitter A <a@example.org> ${1_700_000_000 + at} +0000\n`,
        `data 5\n${String(at).padStart(5, ' ')}\n${at === 0 ? `from ${head}\n` : ''}`,
        `M 100644 inline files/${at % 50}.bin\ndata ${Buffer.byteLength(text)}\n${text}\n`,
      )
    }
    ada.write('history', lines.join(''))
    await ada.git('checkout', '--quiet', '--detach')
    await ada.git(
      '-c',
      'core.ignoreCase=false',
      'config',
      'alias.import',
      '!git fast-import --quiet < history',
    )
    await ada.git('import')
    await ada.git('tag', 'v250', 'main~250')
    await ada.git('update-ref', '-d', 'refs/remotes/origin/main')
    await ada.git('update-ref', '-d', 'refs/remotes/origin/HEAD')
    const missing = await ada.tryGit('push', '--mirror', 'origin')
    expect(missing.text).toContain('"files/0.bin"')
    // A ref that does not come to be gives the others a new address.
    const url = await world.casUrl('mirrored')
    for (const bytes of all) world.storage.put(url, bytes)
    await ada.git('push', '--mirror', 'origin')
    expect(await headOf('mirrored')).toBe(await ada.git('rev-parse', 'refs/heads/main'))
    const other = await clone(world, 'mirrored', 'reader')
    expect(await other.git('rev-list', '--count', 'HEAD')).toBe('501')
  })
})
