/** A git that hangs, a disk that is full, and a client that trickles: bounded, told, and nobody else waits. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isGone } from '@latchkey/testing/machine/child-processes'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ForgeWorld, startForge } from './forge-world.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-git-'))
const mood = join(folder, 'mood')
const program = join(folder, 'git')

/** Goes on as the file says: it hangs, hangs where it stores many files or walks through the history, has no room, or is git itself. */
const script = `#!/bin/sh
case "$(cat '${mood}')" in
  hang) exec sleep 1000 ;;
  unpack) case " $* " in *' unpack-objects '*) touch '${folder}/unpack'; exec sleep 1000 ;; esac ;;
  rev-list) case " $* " in *' rev-list '*) echo $$ > '${folder}/rev-list'; exec sleep 1000 ;; esac ;;
  full) echo 'fatal: unable to write file: No space left on device' >&2; exit 128 ;;
esac
exec git "$@"
`

let world: ForgeWorld
beforeAll(async () => {
  writeFileSync(program, script, { mode: 0o755 })
  writeFileSync(mood, 'well')
  const gitBounds = { commandDeadlineMs: 1500, readerDeadlineMs: 1500 }
  world = await startForge({ compat: { huggingface: true } }, { gitProgram: program, gitBounds })
  await world.create('one')
})
afterAll(async () => {
  await world.stopped()
  rmSync(folder, { recursive: true, force: true })
})

test('while git hangs, tokens are issued and taken back, and the commit ends with a refusal', async () => {
  const order: string[] = []
  writeFileSync(mood, 'hang')
  const commit = world.commit('one', { 'a.txt': 'a' }).finally(() => order.push('commit'))
  const revoke = async () => {
    const address = '/api/models/acme/one/xet-read-token/main'
    const [token] = await Promise.all([
      world.ask(address, { as: 'reader' }),
      world.done('revoke account', { account: 'reader' }),
    ])
    order.push('revoke')
    return token.status
  }
  expect(await revoke()).toBe(200)
  const { status, json, headers } = await commit
  expect([status, json.code, headers.get('retry-after')]).toEqual([503, 'not_ready', '30'])
  expect(order).toEqual(['revoke', 'commit'])
  writeFileSync(mood, 'well')
  expect((await world.commit('one', { 'a.txt': 'a' })).status).toBe(200)
  const metrics = await (await fetch(`${world.hub.url}/metrics`)).text()
  expect(metrics).toMatch(/^latchkey_git_killed_total [1-9]/m)
  expect(metrics).toMatch(/^latchkey_git_waiting 0$/m)
  expect(metrics).toMatch(/^latchkey_forge_requests_total\{kind="commit",status="503"\} 1$/m)
  expect(metrics).toMatch(/^latchkey_forge_request_seconds_count\{kind="commit"\} 2$/m)
})

test('a full disk is told as one, and nothing of the commit is there', async () => {
  writeFileSync(mood, 'full')
  // So many that a git process starts for them.
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`b-${at}.txt`, `b ${at}`]))
  const { status, json } = await world.commit('one', many)
  expect([status, json.code]).toEqual([507, 'storage_full'])
  writeFileSync(mood, 'well')
  const tree = await world.ask('/api/models/acme/one/tree/main', { as: 'reader' })
  expect(tree.json.map(({ path }: { path: string }) => path)).not.toContain('b-0.txt')
})

test('a caller sends four commits at a time, and the next one begins when one of them ends', async () => {
  const open = () => {
    const headers = {
      authorization: `Bearer ${world.tokenOf('writer')}`,
      'transfer-encoding': 'chunked',
    }
    const asked = request(`${world.hub.url}/api/models/acme/one/commit/main`, {
      method: 'POST',
      headers,
    })
    asked.on('error', () => {})
    // The hub passes on the head with the first byte of the body.
    asked.write('{')
    return asked
  }
  const slow = Array.from({ length: 4 }, open)
  try {
    await expect.poll(async () => commitsUnderWay()).toBe(4)
    let isDone = false
    const fifth = world.commit('one', { 'c.txt': 'c' }).finally(() => {
      isDone = true
    })
    const other = await world.commit('one', { 'd.txt': 'd' }, { as: 'owner' })
    expect([other.status, isDone]).toEqual([200, false])
    slow[0]?.destroy()
    expect((await fifth).status).toBe(200)
  } finally {
    for (const one of slow) one.destroy()
  }
})

test('a commit whose body has arrived keeps its slot until it is made, or its client has gone', async () => {
  writeFileSync(mood, 'unpack')
  const asked = request(`${world.hub.url}/api/models/acme/one/commit/main`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.tokenOf('writer')}` },
  })
  asked.on('error', () => {})
  const lines = [
    { key: 'header', value: { summary: 'late' } },
    ...Array.from({ length: 20 }, (_, at) => ({
      key: 'file',
      value: { path: `late-${at}.txt`, content: `late ${at}`, encoding: 'utf-8' },
    })),
  ]
  asked.end(lines.map((line) => JSON.stringify(line)).join('\n'))
  await expect.poll(() => existsSync(join(folder, 'unpack'))).toBe(true)
  const [underWay, killed] = [await commitsUnderWay(), await gitKilled()]
  asked.destroy()
  await expect.poll(commitsUnderWay).toBe(0)
  // Git ended with the client, and not at its deadline.
  expect(await gitKilled()).toBe(killed)
  writeFileSync(mood, 'well')
  expect(underWay).toBe(1)
})

test('a client that leaves ends the git process that works for it, and the next one finds room', async () => {
  writeFileSync(mood, 'rev-list')
  const asked = request(`${world.hub.url}/api/models/acme/one/tree/main?expand=true`, {
    headers: { authorization: `Bearer ${world.tokenOf('owner')}` },
  })
  asked.on('error', () => {})
  asked.end()
  const pidFile = join(folder, 'rev-list')
  await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8')).toMatch(/\n$/)
  const pid = Number(readFileSync(pidFile, 'utf8'))
  expect(isGone(pid)).toBe(false)
  const before = await gitKilled()
  asked.destroy()
  await expect.poll(() => isGone(pid)).toBe(true)
  expect(await gitKilled()).toBe(before)
  writeFileSync(mood, 'well')
  const tree = await world.ask('/api/models/acme/one/tree/main?expand=true', { as: 'owner' })
  expect(tree.status).toBe(200)
})

/** Processes that took too long. */
async function gitKilled(): Promise<number> {
  const metrics = await (await fetch(`${world.hub.url}/metrics`)).text()
  return Number(/^latchkey_git_killed_total (\d+)$/m.exec(metrics)?.[1] ?? 0)
}

/** Each has taken its slot once the hub has answered the question who it is. */
async function commitsUnderWay(): Promise<number> {
  const metrics = await (await fetch(`${world.hub.url}/metrics`)).text()
  return Number(/^latchkey_forge_commits (\d+)$/m.exec(metrics)?.[1] ?? 0)
}
