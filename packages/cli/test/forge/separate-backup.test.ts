/** The repositories of a forge that runs alone: backed up and restored by commands of its own. */

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { temporaryDirectory } from '../run-latchkey.ts'

const name = `${'a'.repeat(26)}.git`
const git = (folder: string, ...args: readonly string[]) =>
  execFileSync('git', ['--git-dir', folder, ...args], { encoding: 'utf8' }).trim()

describe('the backup of a separate forge', () => {
  let cwd: string
  let commit: string
  const run = (...words: readonly string[]) => latchkeyHere(['forge', ...words], { cwd })
  beforeEach(() => {
    cwd = temporaryDirectory()
    const repository = join(cwd, 'latchkey-forge-data', 'repositories', name)
    mkdirSync(join(cwd, 'latchkey-forge-data'), { mode: 0o700 })
    execFileSync('git', ['init', '--quiet', '--bare', '--template=', repository])
    const tree = git(repository, 'hash-object', '-w', '-t', 'tree', '--', '/dev/null')
    const person = ['-c', 'user.name=a', '-c', 'user.email=a@b']
    commit = git(repository, ...person, 'commit-tree', '-m', 'first', tree)
    git(repository, 'update-ref', 'refs/heads/main', commit)
    git(repository, 'config', 'core.fsmonitor', 'false')
  })

  test('has every repository, for its owner alone, and restores it without its settings', async () => {
    const taken = await run('backup', 'monday', '--json')
    expect(taken).toMatchObject({ code: 0 })
    expect(JSON.parse(taken.stdout)).toMatchObject({ database: null, repositories: { count: 1 } })
    expect(statSync(join(cwd, 'monday')).mode & 0o777).toBe(0o700)
    expect(await run('restore', 'monday', '--data', 'anew')).toMatchObject({ code: 0 })
    const repository = join(cwd, 'anew', 'repositories', name)
    expect(git(repository, 'rev-parse', 'refs/heads/main')).toBe(commit)
    expect(readFileSync(join(repository, 'config'), 'utf8')).not.toContain('fsmonitor')
    // The restored repositories are a new forge, which its hub has to adopt.
    expect(existsSync(join(cwd, 'anew', 'forge', 'id'))).toBe(false)
  })

  test('overwrites nothing, and leaves nothing where it fails', async () => {
    expect(await run('backup', 'monday')).toMatchObject({ code: 0 })
    const again = await run('backup', 'monday')
    expect(again.code).not.toBe(0)
    expect(again.stderr).toContain('a backup overwrites no files')
    const over = await run('restore', 'monday')
    expect(over.stderr).toContain('a restore overwrites no files')
    mkdirSync(join(cwd, 'monday', 'repositories', name, 'objects', 'info'), { recursive: true })
    execFileSync('touch', [
      join(cwd, 'monday', 'repositories', name, 'objects', 'info', 'alternates'),
    ])
    const refused = await run('restore', 'monday', '--data', 'anew')
    expect(refused.stderr).toContain('names other folders that git would read objects from')
    expect(readdirSync(cwd)).not.toContain('anew')
  })

  test('says which command takes it, and what it lacks', async () => {
    await run('backup', 'monday')
    const whole = await latchkeyHere(['restore', 'monday', '--data', 'anew'], { cwd })
    expect(whole.stderr).toContain('restore it with "latchkey forge restore"')
    rmSync(join(cwd, 'monday', 'backup.json'))
    expect((await run('restore', 'monday', '--data', 'anew')).stderr).toContain('not a complete')
    const empty = await run('backup', 'tuesday', '--data', 'nowhere')
    expect(empty.stderr).toContain('does not exist. Name that of the forge with --data')
  })
})
