import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { childrenOf, hasProc, isGone } from '@latchkey/testing/machine/child-processes'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { end, ready, type Serving, start } from '../run-latchkey.ts'
import { childOf } from './child-of.ts'

const isGitThere = spawnSync('git', ['--version']).status === 0
if (!hasProc || !isGitThere) console.warn('SKIPPED: the process of a forge needs /proc and git')

const canary = 'c2VjcmV0IG9mIHRoaXJ0eS10d28gYnl0ZXMgaGVyZSE='

const directory = JSON.stringify({
  accounts: [{ name: 'ada' }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
})

const eventsOf = ({ output }: Serving): readonly string[] =>
  output()
    .stdout.split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).event)
const countOf = (hub: Serving, event: string) => eventsOf(hub).filter((one) => one === event).length
const readiness = async ({ url }: Serving) => (await fetch(`${url}/readyz`)).json()

describe.skipIf(!hasProc || !isGitThere)('the forge of latchkey serve is a process, which', () => {
  const cwd = sharedFolder()
  const env = { LATCHKEY_MASTER_KEY: canary, SECRET_OF_ANOTHER: canary }
  let hub: Serving
  let token = ''
  const ask = (path: string, body?: object) =>
    fetch(hub.url + path, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
  const statusOf = async (path: string) => (await ask(path)).status

  beforeAll(async () => {
    const around = { cwd, env, input: directory }
    const { stdout } = await latchkeyHere(['apply', '-', '--json'], around)
    token = JSON.parse(stdout).hubTokens[0].token
    hub = await ready(start(['serve', '--port', '0', '--forge', '--no-storage'], { cwd, env }))
    await vi.waitFor(() => expect(countOf(hub, 'forge_started')).toBe(1), 180_000)
    const made = await ask('/api/repos/create', { name: 'bert', organization: 'acme' })
    expect([made.status, await made.text()]).toEqual([200, expect.anything()])
  })
  afterAll(() => end(hub.child))

  it('has no secret in its arguments and its environment, and nothing of the configuration', () => {
    const child = childOf(hub.child.pid)
    const shown = ['environ', 'cmdline'].map((what) =>
      readFileSync(`/proc/${child}/${what}`, 'utf8'),
    )
    expect(shown.join('\0')).not.toContain(canary)
    expect(shown.join('\0')).not.toMatch(/LATCHKEY_|SECRET|embedded_/)
  })

  it('lets the hub go first on a busy machine, with all its threads and the git processes it starts', async () => {
    const child = childOf(hub.child.pid)
    expect(await statusOf('/api/models/acme/bert/tree/main')).toBe(200)
    const threads = readdirSync(`/proc/${child}/task`).map(Number)
    expect(threads.length).toBeGreaterThan(4)
    const programs = childrenOf(child)
    expect(programs.length).toBeGreaterThan(0)
    const lower = Math.min(getPriority(hub.child.pid) + 10, 19)
    for (const id of [...threads, ...programs]) expect(getPriority(id)).toBe(lower)
  })

  it('may be down while tokens are issued; its routes answer 503, and it comes back by itself', async () => {
    const first = childOf(hub.child.pid)
    expect(await readiness(hub)).toEqual({ status: 'ready', forge: 'ready' })
    expect(await statusOf('/api/models/acme/bert')).toBe(200)
    // Stopped, it is no process that has ended: the hub finds out by the time that it takes.
    process.kill(first, 'SIGSTOP')
    expect(await readiness(hub)).toEqual({ status: 'ready', forge: 'down' })
    expect(await statusOf('/api/models/acme/bert/storage-read-token/main')).toBe(200)
    process.kill(first, 'SIGKILL')
    await expect.poll(() => countOf(hub, 'forge_ended')).toBe(1)
    const down = await ask('/api/models/acme/bert')
    expect([down.status, Number(down.headers.get('retry-after'))]).toEqual([
      503,
      expect.any(Number),
    ])
    expect(await statusOf('/api/models/acme/bert/storage-read-token/main')).toBe(200)
    expect(await statusOf('/api/whoami-v2')).toBe(200)
    await expect.poll(() => statusOf('/api/models/acme/bert'), { timeout: 60_000 }).toBe(200)
    expect(childOf(hub.child.pid)).not.toBe(first)
    const metrics = await (await fetch(`${hub.url}/metrics`)).text()
    expect(metrics).toContain('\nlatchkey_forge_up 1\n')
    expect(metrics).toContain('\nlatchkey_git_processes ')
    const names = [...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    expect(names).toHaveLength(new Set(names).size)
  })

  it('stops before the hub does, both with their last lines in one log', async () => {
    const child = childOf(hub.child.pid)
    hub.child.kill('SIGTERM')
    expect(await hub.ended()).toBe(0)
    expect(isGone(child)).toBe(true)
    const ofTheirLives = /^(?:hub|forge)_(?:stopping|stopped)$/
    expect(eventsOf(hub).filter((event) => ofTheirLives.test(event))).toEqual([
      ...['forge_stopping', 'forge_stopped', 'hub_stopping', 'hub_stopped'],
    ])
  })

  it('leaves when the hub was killed, so that the next one has its repositories', async () => {
    hub = await ready(start(['serve', '--port', '0', '--forge', '--no-storage'], { cwd, env }))
    await expect.poll(() => statusOf('/api/models/acme/bert'), { timeout: 60_000 }).toBe(200)
    const child = childOf(hub.child.pid)
    hub.child.kill('SIGKILL')
    await expect.poll(() => isGone(child)).toBe(true)
  })
})
