import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asRepositoryUid } from '@latchkey/protocol'
import { sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { GitUnavailable, openGit } from '../../src/git/index.ts'
import { openWorld, someUid, uidOf, type World } from './world.ts'

function fakeGit(folder: string, script: string): string {
  const program = join(folder, 'fake-git')
  writeFileSync(program, `#!/bin/sh\n${script}\n`)
  chmodSync(program, 0o755)
  return program
}

describe('a machine', () => {
  test('without git is told so in one line', async () => {
    const folder = temporaryFolder()
    vi.stubEnv('PATH', folder)
    try {
      const opening = openGit({ folder: join(folder, 'repositories') })
      await expect(opening).rejects.toBeInstanceOf(GitUnavailable)
      await expect(opening).rejects.toThrow(
        /^there is no git in PATH\. Install git 2\.38 or newer\.$/,
      )
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test.each([
    ['an older git', 'echo git version 2.37.9', /is git 2\.37\.9\. Install git 2\.38 or newer\.$/],
    ['a git that says nothing', 'true', /does not say which version it is/],
    ['a git that fails', 'exit 3', /cannot be used: git --version ended with 3\.$/],
  ])('with %s is told so in one line', async (_, script, line) => {
    const folder = temporaryFolder()
    const program = fakeGit(folder, script)
    const opening = openGit({ folder: join(folder, 'repositories'), program })
    await expect(opening).rejects.toBeInstanceOf(GitUnavailable)
    await expect(opening).rejects.toThrow(line)
  })

  test.each(['git version 2.38.0', 'git version 3.0.1.windows.1'])(
    'with %s is fine',
    async (said) => {
      const folder = temporaryFolder()
      const program = fakeGit(folder, `echo '${said}'`)
      const { version } = await openGit({ folder: join(folder, 'repositories'), program })
      expect(said).toContain(version)
    },
  )
})

describe('a repository', () => {
  const folder = sharedFolder()
  let world: World
  beforeAll(async () => {
    world = await openWorld(folder)
  })
  afterAll(() => world.git.close())

  test('is named by a uid and nothing else', async () => {
    for (const text of ['', '..', '../x', 'A'.repeat(26), `${'a'.repeat(26)}/..`]) {
      const uid = asRepositoryUid(text)
      expect(() => world.git.exists(uid)).toThrow(TypeError)
      expect(() => world.git.open(uid)).toThrow(TypeError)
      await expect(world.git.create(uid)).rejects.toThrow(TypeError)
      await expect(world.git.remove(uid)).rejects.toThrow(TypeError)
    }
  })

  test('is bare, for its owner alone, and has neither hooks nor alternates', () => {
    expect(statSync(world.place).mode & 0o777).toBe(0o700)
    expect(readdirSync(world.place).toSorted()).toEqual(['HEAD', 'config', 'objects', 'refs'])
    expect(existsSync(join(world.place, 'objects/info/alternates'))).toBe(false)
  })

  test('that is there is not made again', async () => {
    const before = statSync(join(world.place, 'HEAD')).ino
    await Promise.all([world.git.create(someUid), world.git.create(someUid)])
    expect(statSync(join(world.place, 'HEAD')).ino).toBe(before)
    expect(world.git.exists(someUid)).toBe(true)
  })

  test('is gone once it is removed, also twice, and can be made again', async () => {
    const uid = uidOf('b')
    expect(world.git.open(uid)).toBeUndefined()
    const made = await world.git.create(uid)
    const hash = await made.writeBlob(Buffer.from('gone'))
    expect(await made.infoOf([hash])).toMatchObject([{ kind: 'blob', size: 4 }])
    await world.git.remove(uid)
    await world.git.remove(uid)
    expect([world.git.exists(uid), world.git.open(uid)]).toEqual([false, undefined])
    const again = await world.git.create(uid)
    expect(await again.infoOf([hash])).toEqual([undefined])
  })

  test('that was half made or half removed is swept away at the next start', async () => {
    const half = join(folder, 'repositories', `${uidOf('c')}.git.part`)
    mkdirSync(join(half, 'objects'), { recursive: true })
    expect(world.git.exists(uidOf('c'))).toBe(false)
    await openGit({ folder: join(folder, 'repositories') })
    expect(existsSync(half)).toBe(false)
    expect(world.git.exists(someUid)).toBe(true)
  })
})
