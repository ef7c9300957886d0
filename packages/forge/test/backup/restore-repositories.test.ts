/** The git repositories of a backup are restored without what somebody has put beside their objects and refs. */

import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { beforeEach, describe, expect, test } from 'vitest'
import { restoreRepositories } from '../../src/backup/index.ts'

const name = join('repositories', `${'a'.repeat(26)}.git`)
const run = (folder: string, ...args: readonly string[]) =>
  execFileSync('git', ['--git-dir', folder, ...args], { encoding: 'utf8' }).trim()

describe('a repository of a manipulated backup', () => {
  let from: string
  let to: string
  let backup: string
  let restored: string
  let commit: string
  beforeEach(() => {
    ;[from, to] = [temporaryFolder(), temporaryFolder()]
    ;[backup, restored] = [join(from, name), join(to, name)]
    execFileSync('git', [
      'init',
      '--quiet',
      '--bare',
      '--template=',
      '--initial-branch=main',
      backup,
    ])
    const tree = run(backup, 'hash-object', '-w', '-t', 'tree', '--', '/dev/null')
    const person = ['-c', 'user.name=a', '-c', 'user.email=a@b']
    commit = run(backup, ...person, 'commit-tree', '-m', 'first', tree)
    run(backup, 'update-ref', 'refs/heads/main', commit)
  })
  const restore = () => restoreRepositories(from, to)

  test('has the settings of a new one, and no hooks, worktrees or other files', async () => {
    const fresh = readFileSync(join(backup, 'config'), 'utf8')
    const marker = join(from, 'was-run')
    const command = `touch ${marker}; false`
    const settings = [
      ['core.sshCommand', command],
      ['core.fsmonitor', command],
      ['core.alternateRefsCommand', command],
      ['uploadpack.packObjectsHook', command],
      ['include.path', join(from, 'included')],
    ] as const
    for (const [key, value] of settings) run(backup, 'config', key, value)
    appendFileSync(join(backup, 'config'), '[extensions]\n\tworktreeConfig = true\n')
    mkdirSync(join(backup, 'hooks'))
    for (const file of ['hooks/post-update', 'commondir', 'gitdir', 'config.worktree', 'shallow']) {
      writeFileSync(join(backup, file), command, { mode: 0o755 })
    }
    mkdirSync(join(backup, 'objects/info/commit-graphs'), { recursive: true })
    writeFileSync(join(backup, 'objects/info/commit-graph'), 'no graph')
    writeFileSync(join(backup, 'objects/pack/multi-pack-index'), 'no index')

    expect(await restore()).toMatchObject({ count: 1, gone: [] })
    expect(readFileSync(join(restored, 'config'), 'utf8')).toBe(fresh)
    for (const file of [
      'hooks',
      'commondir',
      'gitdir',
      'config.worktree',
      'shallow',
      'objects/info',
    ]) {
      expect(existsSync(join(restored, file)), file).toBe(false)
    }
    expect(run(restored, 'rev-parse', 'main')).toBe(commit)
    expect(run(restored, 'fsck', '--full', '--strict')).toBe('')
    run(restored, 'repack', '-a', '-d', '--quiet')
    rmSync(to, { recursive: true })
    expect(existsSync(marker)).toBe(false)
  })

  test('has its objects from packs too', async () => {
    run(backup, 'repack', '-a', '-d', '--quiet')
    await restore()
    expect(run(restored, 'cat-file', '-t', commit)).toBe('commit')
  })

  test.each(['alternates', 'http-alternates'])('is refused if it has %s', async (file) => {
    mkdirSync(join(backup, 'objects/info'), { recursive: true })
    writeFileSync(join(backup, 'objects/info', file), '/home/somebody/objects\n')
    await expect(restore()).rejects.toThrow('other folders that git would read objects from')
  })

  test.each(['objects/ab', 'objects', 'refs', 'HEAD'])(
    'is refused if %s is a symbolic link',
    async (file) => {
      rmSync(join(backup, file), { recursive: true, force: true })
      symlinkSync(temporaryFolder(), join(backup, file))
      await expect(restore()).rejects.toThrow('is a link')
    },
  )
})
