/** What every git process is bound to: its time, its output, its caller, its environment. */

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { shares } from '@latchkey/service/limits/shares'
import { isGone } from '@latchkey/testing/machine/child-processes'
import { sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { gitCommands } from '../../src/git/process/git-commands.ts'
import type { GitFailed } from '../../src/git/process/git-errors.ts'
import { countTurns } from './turns.ts'
import { openWorld } from './world.ts'

/** Commands of a program that stands in for git, and that notes its own process and that of a child. */
function commandsOf(script: string, slots = 4, noteStart = () => {}) {
  const folder = temporaryFolder()
  const program = join(folder, 'fake-git')
  const pids = join(folder, 'pids')
  writeFileSync(program, `#!/bin/sh\n${script}\n`)
  chmodSync(program, 0o755)
  const work = shares({ max: slots })
  const commands = gitCommands({
    ...{ program, folder, account: () => 'ada', slots: { work, serving: work } },
    wrote: () => {},
    started(process) {
      noteStart()
      return process
    },
  })
  const pidsOf = () =>
    existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n').map(Number) : []
  return { commands, pids, pidsOf }
}

test('commands that begin together start their processes in different turns of the event loop', async () => {
  const turn = countTurns()
  const starts: number[] = []
  const { commands } = commandsOf('exit 0', 4, () => starts.push(turn()))
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => commands.run([name])))
  expect(new Set(starts).size).toBe(4)
})

/** Says its pid, starts a child, and never ends by itself. */
const hangs = 'echo $$ >> pids; sleep 1000 & echo $! >> pids; wait'
const ignoresTerm = `trap '' TERM; ${hangs}; ${hangs}`

describe('a process that hangs', () => {
  test.each([
    ['ends', hangs],
    ['is killed if it does not end by itself,', ignoresTerm],
  ])('%s at its deadline with all that it has started', async (_, script) => {
    const { commands, pidsOf } = commandsOf(script)
    const run = commands.run(['status'], '', { deadlineMs: 1000 })
    await expect(run).rejects.toMatchObject({ reason: 'deadline' })
    await vi.waitFor(() => expect(pidsOf().every(isGone)).toBe(true), 180_000)
  })

  test('ends when its caller gives up, with the reason of the caller', async () => {
    const { commands, pidsOf } = commandsOf(hangs)
    const caller = new AbortController()
    const run = commands.run(['status'], '', { signal: caller.signal })
    const outcome = expect(run).rejects.toThrow('has gone')
    await vi.waitFor(() => expect(pidsOf()).toHaveLength(2), 180_000)
    caller.abort(new Error('has gone'))
    await outcome
    await vi.waitFor(() => expect(pidsOf().every(isGone)).toBe(true), 180_000)
  })

  test('ends when nobody reads on', async () => {
    const { commands, pidsOf } = commandsOf('echo $$ >> pids; exec yes')
    const git = await commands.start(['status'])
    for await (const part of git.output()) {
      expect(part.length).toBeGreaterThan(0)
      break
    }
    await expect(git.ended).rejects.toMatchObject({ reason: 'closed' })
    expect(pidsOf().every(isGone)).toBe(true)
  })
})

test('a process that says more than it may is ended', async () => {
  const { commands } = commandsOf('exec yes')
  const run = commands.run(['status'], '', { maxBytes: 100_000 })
  await expect(run).rejects.toMatchObject({ reason: 'too-large' })
})

test('a process that fails is told with what it said', async () => {
  const { commands } = commandsOf('echo no such thing >&2; exit 7')
  const error: GitFailed = await commands.run(['status']).catch((error) => error)
  expect(error).toMatchObject({ reason: 'exit', stderr: 'no such thing\n' })
  expect(error.message).toBe('git status ended with 7')
})

test('a program that is not there is told as a failure to start', async () => {
  const { commands } = commandsOf('true')
  const gone = gitCommands({
    ...{ program: '/nowhere/git', folder: commands.folder, wrote: () => {} },
    account: () => 'ada',
    slots: { work: shares({ max: 1 }), serving: shares({ max: 1 }) },
  })
  await expect(gone.run(['status'])).rejects.toMatchObject({ reason: 'start' })
  // The slot is free again.
  await expect(gone.run(['status'])).rejects.toMatchObject({ reason: 'start' })
})

test('input that breaks off ends the process before it can take it for whole', async () => {
  const { commands, pids } = commandsOf('cat > taken; echo whole >> pids')
  const broken = async function* () {
    yield Buffer.from('half of it')
    throw new Error('the client has gone')
  }
  await expect(commands.run(['status'], broken())).rejects.toThrow('the client has gone')
  expect(() => readFileSync(pids)).toThrow('ENOENT')
})

test('slots bound the processes that run at once', async () => {
  const { commands } = commandsOf('mkdir running || echo two at once; rmdir running', 1)
  const said = await Promise.all(Array.from({ length: 4 }, () => commands.run(['status'])))
  expect(Buffer.concat(said).toString()).toBe('')
})

describe('the environment of this process', () => {
  const folder = sharedFolder()
  afterEach(() => vi.unstubAllEnvs())

  test('changes nothing for git', async () => {
    const hostile = {
      ...{ GIT_DIR: '/nowhere', GIT_WORK_TREE: '/', GIT_OBJECT_DIRECTORY: '/nowhere' },
      ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.hooksPath', GIT_CONFIG_VALUE_0: '/tmp' },
      ...{ GIT_ALTERNATE_OBJECT_DIRECTORIES: '/', GIT_NAMESPACE: 'other', GIT_TRACE: '2' },
      ...{ GIT_AUTHOR_DATE: 'yesterday', GIT_CONFIG_PARAMETERS: "'core.bare'='false'" },
    }
    for (const [name, value] of Object.entries(hostile)) vi.stubEnv(name, value)
    const { git, repository } = await openWorld(folder)
    const hash = await repository.writeBlob(Buffer.from('hello\n'))
    expect(hash).toBe('ce013625030ba8dba906f756967f9e9ca394464a')
    expect(await repository.infoOf([hash])).toEqual([{ hash, kind: 'blob', size: 6 }])
    git.close()
  })

  test('is not passed on, but for PATH', async () => {
    vi.stubEnv('LATCHKEY_SECRET', 'canary')
    const { commands } = commandsOf('env')
    const said = (await commands.run(['status'])).toString()
    expect(said).not.toContain('canary')
    expect(said).toContain('GIT_CONFIG_NOSYSTEM=1')
    const names = said.split('\n').map((line) => line.split('=')[0] ?? '')
    const unknown = names.filter(
      (name) => !/^(?:GIT_\w+|PATH|HOME|LC_ALL|PWD|OLDPWD|SHLVL|_|)$/.test(name),
    )
    expect(unknown).toEqual([])
  })
})
