/** The hook of examples/post-receive, run by a real git, keeps the refs of a real hub current. */

import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, describe, expect, it } from 'vitest'
import { latchkeyHere as latchkey } from './run-here.ts'
import { end, environmentOf, putCommand, ready, start, temporaryDirectory } from './run-latchkey.ts'

const hasGit = spawnSync('git', ['--version']).status === 0
if (!hasGit) console.warn('SKIPPED: git is not installed, so the post-receive hook is not run')

const hook = join(import.meta.dirname, '../../../examples/post-receive/post-receive')
const bert = 'models/acme/bert'
const identity = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com']

/** For the repositories of all tests. */
const hubHome = sharedFolder()
const shared = { hub: '', token: '' }
beforeAll(async () => {
  if (!hasGit) return
  for (const words of ['namespace create acme', 'account create ada --administrator']) {
    await latchkey(words.split(' '), { cwd: hubHome })
  }
  const words = 'hub-token create ada hook --kind admin --verb-group ref --json'
  const made = await latchkey(words.split(' '), { cwd: hubHome })
  const child = start(['serve', '--port', '0', '--no-storage'], { cwd: hubHome })
  Object.assign(shared, { hub: (await ready(child)).url, token: JSON.parse(made.stdout).token })
  return () => end(child)
})

let count = 0

/** A repository of the hub, its bare repository with the hook, and a clone of that. */
async function world() {
  const home = temporaryDirectory()
  count += 1
  const name = `models/acme/bert-${count}`
  await latchkey(['repo', 'create', name], { cwd: hubHome })
  const { bare, work, git, run } = repositories(home)
  writeFileSync(join(home, 'token'), shared.token, { mode: 0o600 })
  git(bare, 'config', 'latchkey.repository', name)
  git(bare, 'config', 'latchkey.hub', shared.hub)
  git(bare, 'config', 'latchkey.tokenFile', join(home, 'token'))
  const refs = async () => {
    const { stdout } = await latchkey(['ref', 'list', name, '--json'], { cwd: hubHome })
    const { items }: { items: { name: string; commit: string }[] } = JSON.parse(stdout)
    return Object.fromEntries(items.map(({ name, commit }) => [name, commit]))
  }
  const requests = async () => {
    const { stdout } = await latchkey(['changes', '--repo', name, '--json'], { cwd: hubHome })
    const entries = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    return new Set(
      entries.filter(({ verb }) => verb === 'ref update').map(({ requestId }) => requestId),
    ).size
  }
  return { home, bare, work, git, run, refs, requests }
}

/** `hasCommand` is whether the hook finds `latchkey` in its PATH. */
function repositories(home: string, hasCommand = true) {
  const bare = join(home, 'bert.git')
  const tools = join(home, 'tools')
  mkdirSync(tools)
  if (hasCommand) putCommand(tools)
  const others = [dirname(process.execPath), ...(process.env['PATH'] ?? '').split(':')]
  const env = {
    ...environmentOf({ cwd: home }),
    PATH: [
      tools,
      ...others.filter((folder) => hasCommand || !existsSync(join(folder, 'latchkey'))),
    ].join(':'),
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
  /** The hook without a push, whose status git does not show. */
  const run = (input: string, ...words: readonly string[]) =>
    spawnSync(join(bare, 'hooks', 'post-receive'), words, {
      cwd: bare,
      env,
      input,
      encoding: 'utf8',
    })
  return { bare, work: join(home, 'work'), git, run }
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
    const { bare, work, git, refs } = await world()
    git(work, 'commit', '--quiet', '--allow-empty', '-m', 'first')
    // Where nobody listens.
    git(bare, 'config', 'latchkey.hub', 'http://127.0.0.1:1')
    const { stderr } = git(work, 'push', '--quiet', 'origin', 'main')
    expect(stderr).toContain('the hub does not have this push yet')
    git(bare, 'config', 'latchkey.hub', shared.hub)
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

  it('tells of a tag with the name of a branch, and sends the rest', async () => {
    const { work, git, refs } = await world()
    git(work, 'commit', '--quiet', '--allow-empty', '-m', 'first')
    git(work, 'tag', 'main')
    const { stderr } = git(work, 'push', '--quiet', 'origin', 'refs/heads/main', 'refs/tags/main')
    expect(stderr).toMatch(/Left out, [^\n]+: refs\/tags\/main/)
    expect(await refs()).toEqual({
      'refs/heads/main': git(work, 'rev-parse', 'HEAD').stdout.trim(),
    })
  })

  it('ends as the hub has refused it, and says why, when the refusal stays', async () => {
    const { bare, work, git, run, refs } = await world()
    git(bare, 'config', 'latchkey.repository', 'models/acme/other')
    git(work, 'commit', '--quiet', '--allow-empty', '-m', 'first')
    const { stderr } = git(work, 'push', '--quiet', 'origin', 'refs/heads/main')
    expect(stderr).toContain('models/acme/other')
    expect(stderr).toContain('the hub does not have this push yet')
    const unknown = run('', '--all')
    expect(unknown.status).toBe(1)
    expect(unknown.stderr).toContain('models/acme/other')
    expect(await refs()).toEqual({ 'refs/heads/main': '0'.repeat(40) })
  })

  it.each([
    { what: 'the command is not in PATH', hasCommand: false, says: /latchkey: .*not found/ },
    { what: 'plain http is no way', set: ['latchkey.hub', 'http://hub.example'], says: /https/ },
    { what: 'no repository is named', set: unset('repository'), says: /repository is not set/ },
    { what: 'no hub is named', set: unset('hub'), says: /latchkey\.hub is not set/ },
    { what: 'no token file is named', set: unset('tokenFile'), says: /tokenFile is not set/ },
    {
      what: 'the token file is gone',
      set: ['latchkey.tokenFile', '/no/t'],
      says: /cannot be read/,
    },
  ])('tells the person who pushes that $what', ({ hasCommand = true, set = [], says }) => {
    const home = temporaryDirectory()
    const { bare, work, git } = repositories(home, hasCommand)
    const token = join(home, 'token')
    writeFileSync(token, `lk_${'a'.repeat(32)}`, { mode: 0o600 })
    git(bare, 'config', 'latchkey.repository', bert)
    git(bare, 'config', 'latchkey.hub', 'http://127.0.0.1:1')
    git(bare, 'config', 'latchkey.tokenFile', token)
    if (set.length > 0) git(bare, 'config', ...set)
    git(work, 'commit', '--quiet', '--allow-empty', '-m', 'first')
    expect(git(work, 'push', '--quiet', 'origin', 'main').stderr).toMatch(says)
  })
})

function unset(name: string): readonly string[] {
  return ['--unset', `latchkey.${name}`]
}
