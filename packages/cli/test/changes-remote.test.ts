/** An operator reads the journal from another machine. */

import type { ChildProcess } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { freePort } from '@latchkey/testing/machine/free-port'
import { expect, it, onTestFinished } from 'vitest'
import { directoryFile } from './directory-file.ts'
import { latchkeyHere as latchkey } from './run-here.ts'
import { collect, end, ended, ready, start, temporaryDirectory } from './run-latchkey.ts'
import { hubHere } from './serve-here.ts'

const file = {
  ...directoryFile,
  hubTokens: [
    { account: 'ada', name: 'admin', kind: 'admin' },
    { account: 'ada', name: 'auditor', kind: 'admin', adminScopes: ['changes'] },
    { account: 'ada', name: 'janitor', kind: 'admin', adminScopes: ['keys'] },
  ],
}

/** A hub that can be started again at the same address, and commands for it from elsewhere. */
async function remoteHub(begin = serveApart) {
  const home = temporaryDirectory()
  const input = JSON.stringify(file)
  const { stdout } = await latchkey(['apply', '-', '--json'], { cwd: home, input })
  const tokens: { name: string; token: string }[] = JSON.parse(stdout).hubTokens
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const serve = (how = begin) => how(home, String(port))
  const cwd = temporaryDirectory()
  const around = (name = 'admin') => ({
    cwd,
    env: { LATCHKEY_HUB_TOKEN: tokens.find((one) => one.name === name)?.token ?? '' },
  })
  const ask = (args: readonly string[], name?: string) =>
    latchkey([...args, '--hub', url], around(name))
  return { stop: await serve(), home, url, serve, ask, around }
}

/** Gives the function that ends it at once. */
async function serveApart(cwd: string, port: string): Promise<() => Promise<void>> {
  const child = start(['serve', '--port', port, '--no-storage'], { cwd })
  onTestFinished(() => end(child))
  await ready(child)
  return () => end(child)
}

async function serveHere(cwd: string, port: string): Promise<() => Promise<void>> {
  const { stop } = await hubHere(join(cwd, 'latchkey-data'), { port })
  onTestFinished(stop)
  return stop
}

function follow(url: string, around: Parameters<typeof start>[1]) {
  const child = start(['changes', '--follow', '--hub', url], around)
  onTestFinished(() => end(child))
  return watch(child)
}

function watch(child: ChildProcess) {
  const output = collect(child)
  return { child, output, over: ended(child), lines: () => output().stdout.trimEnd().split('\n') }
}

it('a hub shows what the data directory shows, to admin hub tokens with the group alone', async () => {
  const { ask, home } = await remoteHub(serveHere)
  await ask(['member', 'set', 'acme', 'guest', 'read'])
  const local = await latchkey(['changes'], { cwd: home })
  expect(local.stdout).toMatch(
    / {2}ada {11} {2}member set {9} {2}member created acme\/guest: read\n$/,
  )
  expect(await ask(['changes'], 'auditor')).toEqual(local)
  const refused = await ask(['changes'], 'janitor')
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain('the admin scope changes')
  const json = await ask(['changes', '--json', '--account', 'guest'])
  expect(
    json.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).did),
  ).toEqual(['created', 'created'])
})

it('with --follow a restart of the hub is survived, said once, and nothing is lost or shown twice', async () => {
  const { stop, home, url, serve, ask, around } = await remoteHub()
  const { child, output, over, lines } = follow(url, around('auditor'))
  await expect.poll(() => output().stdout).toContain('hub opened')
  await ask(['account', 'create', 'bob'])
  await expect.poll(() => output().stdout).toContain('account created bob')
  await stop()
  await latchkey(['account', 'create', 'carol'], { cwd: home })
  await expect.poll(() => output().stderr).toContain('trying again')
  await serve(serveHere)
  await expect.poll(() => output().stdout).toContain('account created carol')
  await ask(['account', 'create', 'dan'])
  await expect.poll(() => output().stdout).toContain('account created dan')
  child.kill('SIGINT')
  expect(await over).toBe(0)
  expect(output().stderr).toMatch(/^latchkey: [^\n]+; trying again until it works\n$/)
  expect(output().stdout).toBe((await latchkey(['changes'], { cwd: home })).stdout)
  expect(new Set(lines()).size).toBe(lines().length)
})

it('with --follow a hub that cannot be reached at first ends it with 3', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  const { output, over } = follow(url, anywhere())
  expect(await over).toBe(3)
  expect(output().stderr).toContain('cannot be reached (ECONNREFUSED)')
})

it('with --follow the hub is asked to wait, and a journal that was replaced ends it with 1', async () => {
  const asked: string[] = []
  const removed = {
    code: 'cursor_unknown',
    detail: 'The journal ends at 5. After a restored backup begin with after=5.',
    path: 'after',
  }
  const url = await server((path) => {
    asked.push(path)
    return asked.length === 1 ? [200, { items: [entry], last: 9, oldest: 1 }] : [410, removed]
  })
  const { output, over } = follow(url, anywhere())
  expect(await over).toBe(1)
  expect(output().stdout).toContain('account created eve\\x1b[2J')
  expect(output().stderr).toBe(
    'latchkey: The journal ends at 5. After a restored backup begin with --since 5.\n',
  )
  expect(asked).toEqual([
    '/admin/v1/changes?wait=30&limit=100',
    '/admin/v1/changes?wait=30&after=9&limit=100',
  ])
})

it('an answer that is no journal is told in one line', async () => {
  const url = await server(() => [200, { items: [{ number: 'x' }], last: 1 }])
  const { code, stdout, stderr } = await latchkey(['changes', '--hub', url], anywhere())
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
  expect(stderr).toBe('latchkey: the response is not a page of the journal; check --hub\n')
})

const entry = {
  ...{ number: 9, previous: 5, at: '2026-11-15T08:00:00.000Z', verb: 'account create' },
  ...{ thing: 'account', did: 'created', actor: {}, account: 'eve\u001b[2J', narrows: false },
}

function anywhere() {
  return { cwd: temporaryDirectory(), env: { LATCHKEY_HUB_TOKEN: `lk_${'a'.repeat(49)}` } }
}

async function server(answer: (path: string) => [status: number, body: object]): Promise<string> {
  const listening = createServer(({ url = '' }, response) => {
    const [status, body] = answer(url)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  onTestFinished(() => void listening.close().closeAllConnections())
  await new Promise<void>((done) => listening.listen(0, '127.0.0.1', () => done()))
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
}
