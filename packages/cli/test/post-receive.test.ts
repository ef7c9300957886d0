/** The hook of examples/post-receive, run by a real git, keeps the refs of a real hub current. */

import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { latchkeyHere as latchkey } from './run-here.ts'
import { bin, end, environmentOf, serve, temporaryDirectory } from './run-latchkey.ts'

const hasGit = spawnSync('git', ['--version']).status === 0
if (!hasGit) console.warn('SKIPPED: git is not installed, so the post-receive hook is not run')

const hook = join(import.meta.dirname, '../../../examples/post-receive/post-receive')
const bert = 'models/acme/bert'
const identity = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com']

/** A hub, a bare repository with the hook, and a clone of it. */
async function world() {
  const home = temporaryDirectory()
  for (const words of [
    'namespace create acme',
    `repo create ${bert}`,
    'account create ada --administrator',
  ]) {
    await latchkey(words.split(' '), { cwd: home })
  }
  const token = await latchkey(
    'hub-token create ada hook --kind admin --verb-group ref --json'.split(' '),
    { cwd: home },
  )
  const hub = await serve(['--no-storage'], { cwd: home })
  const { bare, git } = repositories(home)
  writeFileSync(join(home, 'token'), JSON.parse(token.stdout).token, { mode: 0o600 })
  git(bare, 'config', 'latchkey.repository', bert)
  git(bare, 'config', 'latchkey.hub', hub.url)
  git(bare, 'config', 'latchkey.tokenFile', join(home, 'token'))
  const refs = async () => {
    const { stdout } = await latchkey(['ref', 'list', bert, '--json'], { cwd: home })
    const { items }: { items: { name: string; commit: string }[] } = JSON.parse(stdout)
    return Object.fromEntries(items.map(({ name, commit }) => [name, commit]))
  }
  const verbs = async () => {
    const { stdout } = await latchkey(['changes', '--json'], { cwd: home })
    const entries = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    return new Set(
      entries.filter(({ verb }) => verb === 'ref update').map(({ requestId }) => requestId),
    ).size
  }
  return { home, hub, bare, work: join(home, 'work'), git, refs, requests: verbs }
}

function repositories(home: string) {
  const bare = join(home, 'bert.git')
  const tools = join(home, 'tools')
  mkdirSync(tools)
  symlinkSync(bin, join(tools, 'latchkey'))
  const env = {
    ...environmentOf({ cwd: home }),
    PATH: [tools, dirname(process.execPath), process.env['PATH']].join(':'),
  }
  const git = (cwd: string, ...words: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync('git', [...identity, ...words], {
      cwd,
      env,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`git ${words.join(' ')}: ${stderr}`)
    return { stdout: stdout.trim(), stderr }
  }
  git(home, 'init', '--quiet', '--bare', '--initial-branch=main', bare)
  git(home, 'clone', '--quiet', bare, 'work')
  copyFileSync(hook, join(bare, 'hooks', 'post-receive'))
  chmodSync(join(bare, 'hooks', 'post-receive'), 0o755)
  return { bare, git }
}

describe.skipIf(!hasGit)('the post-receive hook', () => {
  it('tells a push of several refs with one request, tags as their commits, and deletions', async () => {
    const { work, git, refs, requests } = await world()
    const commit = (message: string) => {
      git(work, 'commit', '--quiet', '--allow-empty', '-m', message)
      return git(work, 'rev-parse', 'HEAD').stdout
    }
    const first = commit('first')
    git(work, 'tag', '-a', 'v1', '-m', 'annotated')
    git(work, 'branch', 'dev')
    git(work, 'push', '--quiet', 'origin', 'main', 'dev', 'v1')
    expect(await refs()).toEqual({
      'refs/heads/dev': first,
      'refs/heads/main': first,
      'refs/tags/v1': first,
    })
    expect(await requests()).toBe(1)
    const second = commit('second')
    git(work, 'push', '--quiet', '--force', 'origin', 'main', ':dev', ':v1')
    expect(await refs()).toEqual({ 'refs/heads/main': second })
    expect(await requests()).toBe(2)
  })

  it('catches up when the hub has missed a push, and a tag of no commit harms nothing', async () => {
    const { home, hub, bare, work, git, refs } = await world()
    git(work, 'commit', '--quiet', '--allow-empty', '-m', 'first')
    await end(hub.child)
    const { stderr } = git(work, 'push', '--quiet', 'origin', 'main')
    expect(stderr).toContain('the hub does not have this push yet')
    const again = await serve(['--no-storage'], { cwd: home })
    git(bare, 'config', 'latchkey.hub', again.url)
    writeFileSync(join(work, 'file'), 'content')
    git(work, 'tag', 'blob', git(work, 'hash-object', '-w', 'file').stdout)
    git(work, 'commit', '--quiet', '--allow-empty', '-m', 'second')
    git(work, 'push', '--quiet', 'origin', 'main', 'blob')
    const head = git(work, 'rev-parse', 'HEAD').stdout
    expect(await refs()).toEqual({ 'refs/heads/main': head })
  })

  it('does nothing with a token that others can read', async () => {
    const { home, work, git, refs } = await world()
    chmodSync(join(home, 'token'), 0o644)
    git(work, 'commit', '--quiet', '--allow-empty', '-m', 'first')
    const { stderr } = git(work, 'push', '--quiet', 'origin', 'main')
    expect(stderr).toContain('others can read')
    expect(await refs()).toEqual({ 'refs/heads/main': '0'.repeat(40) })
  })
})
