/** The hook of examples/post-receive, run by a real git, keeps the refs of a real hub current. */

import { spawn } from 'node:child_process'
import { appendFileSync, chmodSync, copyFileSync, cpSync, existsSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { findProgram } from '@latchkey/testing/tools/find-program'
import { beforeAll, describe, expect, it } from 'vitest'
import { putCommandHere } from './documents/command-here.ts'
import { latchkeyHere as latchkey } from './run-here.ts'
import { collect, type Ended, ended, environmentOf, temporaryDirectory } from './run-latchkey.ts'
import { hubHere } from './serve-here.ts'

const hasGit = findProgram('git') !== undefined
if (!hasGit) console.warn('SKIPPED: git is not installed, so the post-receive hook is not run')

const hook = join(import.meta.dirname, '../../../examples/post-receive/post-receive')
const bert = 'models/acme/bert'
const identity = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com']

/** For the repositories of all tests. */
const hubHome = sharedFolder()
const tools = sharedFolder()
/** A bare repository with the hook, and a clone of it. */
const empty = sharedFolder()
const shared = { hub: '', token: '' }
beforeAll(async () => {
  if (!hasGit) return
  for (const words of ['namespace create acme', 'account create ada --administrator']) {
    await latchkey(words.split(' '), { cwd: hubHome })
  }
  const words = 'hub-token create ada hook --kind admin --admin-scope ref --json'
  const made = await latchkey(words.split(' '), { cwd: hubHome })
  const { url, stop } = await hubHere(join(hubHome, 'latchkey-data'))
  Object.assign(shared, { hub: url, token: JSON.parse(made.stdout).token })
  const endCommands = await putCommandHere(tools)
  await makeRepositories()
  return async () => {
    endCommands()
    await stop()
  }
})

async function makeRepositories(): Promise<void> {
  const { git } = gitIn(empty)
  await git(empty, 'init', '--quiet', '--bare', '--initial-branch=main', 'bert.git')
  const bare = join(empty, 'bert.git')
  // Nothing is tidied up after a push.
  appendFileSync(join(bare, 'config'), '[gc]\n\tauto = 0\n[receive]\n\tautogc = false\n')
  copyFileSync(hook, join(bare, 'hooks', 'post-receive'))
  chmodSync(join(bare, 'hooks', 'post-receive'), 0o755)
  await git(empty, 'init', '--quiet', '--initial-branch=main', 'work')
  appendFileSync(join(empty, 'work/.git/config'), '[remote "origin"]\n\turl = ../bert.git\n')
}

let count = 0

/** A repository of the hub, its bare repository with the hook, and a clone of that. */
async function world() {
  const home = temporaryDirectory()
  count += 1
  const name = `models/acme/bert-${count}`
  await latchkey(['repo', 'create', name], { cwd: hubHome })
  writeFileSync(join(home, 'token'), shared.token, { mode: 0o600 })
  const tokenFile = join(home, 'token')
  const all = repositories(home, { repository: name, hub: shared.hub, tokenFile })
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
  return { home, ...all, refs, requests }
}

/** `hasCommand` is whether the hook finds `latchkey` in its PATH. */
function repositories(home: string, configured: Record<string, string>, hasCommand = true) {
  cpSync(empty, home, { recursive: true })
  const bare = join(home, 'bert.git')
  const lines = Object.entries(configured).map(([name, value]) => `\t${name} = ${value}\n`)
  appendFileSync(join(bare, 'config'), `[latchkey]\n${lines.join('')}`)
  const { git, run } = gitIn(home, hasCommand)
  return {
    ...{ bare, work: join(home, 'work'), git },
    /** The hook without a push, whose status git does not show. */
    run: (...words: readonly string[]) =>
      run(join(bare, 'hooks', 'post-receive'), words, { cwd: bare }),
  }
}

function gitIn(home: string, hasCommand = true) {
  const others = [dirname(process.execPath), ...(process.env['PATH'] ?? '').split(delimiter)]
  const env = {
    ...environmentOf({ cwd: home }),
    PATH: hasCommand
      ? [tools, ...others].join(delimiter)
      : others.filter((folder) => !existsSync(join(folder, 'latchkey'))).join(delimiter),
  }
  const run = async (
    program: string,
    words: readonly string[],
    { cwd }: { readonly cwd: string },
  ): Promise<Ended> => {
    const child = spawn(program, words, { cwd, env, stdio: 'pipe' })
    const output = collect(child)
    child.stdin.end()
    return { code: await ended(child), ...output() }
  }
  const git = async (cwd: string, ...words: readonly string[]) => {
    const { code, stdout, stderr } = await run('git', [...identity, ...words], { cwd })
    if (code !== 0) throw new Error(`git ${words.join(' ')}: ${stderr}`)
    return { stdout: stdout.trim(), stderr }
  }
  return { git, run }
}

describe.skipIf(!hasGit)('the post-receive hook', () => {
  it('tells a push of several refs with one request, tags as their commits, and deletions', async () => {
    const { work, git, refs, requests } = await world()
    const commit = async (message: string) => {
      await git(work, 'commit', '--quiet', '--allow-empty', '-m', message)
      return (await git(work, 'rev-parse', 'HEAD')).stdout
    }
    const first = await commit('first')
    await git(work, 'tag', '-a', 'v1', '-m', 'annotated')
    await git(work, 'branch', 'dev')
    await git(work, 'push', '--quiet', 'origin', 'main', 'dev', 'v1')
    expect(await refs()).toEqual({
      'refs/heads/dev': first,
      'refs/heads/main': first,
      'refs/tags/v1': first,
    })
    expect(await requests()).toBe(1)
    const second = await commit('second')
    await git(work, 'push', '--quiet', '--force', 'origin', 'main', ':dev', ':v1')
    expect(await refs()).toEqual({ 'refs/heads/main': second })
    expect(await requests()).toBe(2)
  })

  it('catches up when the hub has missed a push, and a tag of no commit harms nothing', async () => {
    const { bare, work, git, refs } = await world()
    await git(work, 'commit', '--quiet', '--allow-empty', '-m', 'first')
    // Where nobody listens.
    await git(bare, 'config', 'latchkey.hub', 'http://127.0.0.1:1')
    const { stderr } = await git(work, 'push', '--quiet', 'origin', 'main')
    expect(stderr).toContain('the hub does not have this push yet')
    await git(bare, 'config', 'latchkey.hub', shared.hub)
    writeFileSync(join(work, 'file'), 'content')
    await git(work, 'tag', 'blob', (await git(work, 'hash-object', '-w', 'file')).stdout)
    await git(work, 'commit', '--quiet', '--allow-empty', '-m', 'second')
    await git(work, 'push', '--quiet', 'origin', 'main', 'blob')
    const head = (await git(work, 'rev-parse', 'HEAD')).stdout
    expect(await refs()).toEqual({ 'refs/heads/main': head })
  })

  it('does nothing with a token that others can read', async () => {
    const { home, work, git, refs } = await world()
    chmodSync(join(home, 'token'), 0o644)
    await git(work, 'commit', '--quiet', '--allow-empty', '-m', 'first')
    const { stderr } = await git(work, 'push', '--quiet', 'origin', 'main')
    expect(stderr).toContain('others can read')
    expect(await refs()).toEqual({ 'refs/heads/main': '0'.repeat(40) })
  })

  it('tells of a tag with the name of a branch, and sends the rest', async () => {
    const { work, git, refs } = await world()
    await git(work, 'commit', '--quiet', '--allow-empty', '-m', 'first')
    await git(work, 'tag', 'main')
    const { stderr } = await git(
      work,
      'push',
      '--quiet',
      'origin',
      'refs/heads/main',
      'refs/tags/main',
    )
    expect(stderr).toMatch(/Skipped, [^\n]+: refs\/tags\/main/)
    expect(await refs()).toEqual({
      'refs/heads/main': (await git(work, 'rev-parse', 'HEAD')).stdout,
    })
  })

  it('ends as the hub has refused it, and says why, when the refusal stays', async () => {
    const { bare, work, git, run, refs } = await world()
    await git(bare, 'config', 'latchkey.repository', 'models/acme/other')
    await git(work, 'commit', '--quiet', '--allow-empty', '-m', 'first')
    const { stderr } = await git(work, 'push', '--quiet', 'origin', 'refs/heads/main')
    expect(stderr).toContain('models/acme/other')
    expect(stderr).toContain('the hub does not have this push yet')
    const unknown = await run('--all')
    expect(unknown.code).toBe(1)
    expect(unknown.stderr).toContain('models/acme/other')
    expect(await refs()).toEqual({ 'refs/heads/main': '0'.repeat(40) })
  })

  // biome-ignore format: a table is read by its columns
  // A shell says Permission denied where it may not search one of the folders of PATH.
  it.each([
    { what: 'the command is not in PATH', hasCommand: false, says: /latchkey: (?:.*not found|Permission denied)/ },
    { what: 'plain http is no way',       set: { hub: 'http://hub.example' }, says: /https/ },
    { what: 'no repository is named',     unset: 'repository', says: /repository is not set/ },
    { what: 'no hub is named',            unset: 'hub', says: /latchkey\.hub is not set/ },
    { what: 'no token file is named',     unset: 'tokenFile', says: /tokenFile is not set/ },
    { what: 'the token file is gone',     set: { tokenFile: '/no/t' }, says: /cannot be read/ },
  ])('tells the person who pushes that $what', async ({ hasCommand = true, set = {}, unset, says }) => {
    const home = temporaryDirectory()
    const tokenFile = join(home, 'token')
    writeFileSync(tokenFile, `lk_${'a'.repeat(32)}`, { mode: 0o600 })
    const configured = { repository: bert, hub: 'http://127.0.0.1:1', tokenFile, ...set }
    const kept = Object.entries(configured).filter(([name]) => name !== unset)
    const { work, git } = repositories(home, Object.fromEntries(kept), hasCommand)
    await git(work, 'commit', '--quiet', '--allow-empty', '-m', 'first')
    expect((await git(work, 'push', '--quiet', 'origin', 'main')).stderr).toMatch(says)
  })
})
