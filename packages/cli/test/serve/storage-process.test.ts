import { readFileSync } from 'node:fs'
import { hasProc, isGone } from '@latchkey/testing/machine/child-processes'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { freePort } from '@latchkey/testing/machine/free-port'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { end, ready, type Serving, start } from '../run-latchkey.ts'
import { childOf } from './child-of.ts'

if (!hasProc) console.warn('SKIPPED: there is no /proc, so the storage process is not found')

const canary = 'c2VjcmV0IG9mIHRoaXJ0eS10d28gYnl0ZXMgaGVyZSE='

interface Line {
  readonly event: string
}

/** Every line of the log; fails where one is not whole. */
const linesOf = ({ output }: Serving): Line[] =>
  output()
    .stdout.split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
const eventsOf = (hub: Serving) => linesOf(hub).map(({ event }) => event)
const countOf = (hub: Serving, event: string) => eventsOf(hub).filter((one) => one === event).length
const readiness = async ({ url }: Serving) => (await fetch(`${url}/readyz`)).json()
const storageUrl = ({ output }: Serving) =>
  /storage is ready at (\S+)/.exec(output().stderr)?.[1] ?? ''

const env = { LATCHKEY_MASTER_KEY: canary, SECRET_OF_ANOTHER: canary, LC_ALL: 'C' }

/** The test ends it. */
async function servedBoth(args: readonly string[], cwd: string) {
  const child = start(['serve', '--port', '0', ...args], { cwd, env })
  try {
    return await withStorage(await ready(child))
  } catch (error) {
    await end(child)
    throw error
  }
}

async function withStorage(hub: Serving) {
  // The line of the log is on its way while the storage serves already.
  await vi.waitFor(() => {
    expect(storageUrl(hub)).not.toBe('')
    expect(countOf(hub, 'storage_started')).toBe(1)
  }, 180_000)
  return { hub, storage: storageUrl(hub) }
}

type Both = Awaited<ReturnType<typeof withStorage>>

/** What a client without a token hears, so the storage serves. */
async function statusAt(storage: string): Promise<number> {
  const answer = await fetch(`${storage}/r/repository/ref/v1/files/none`, { method: 'HEAD' })
  return answer.status
}

describe.skipIf(!hasProc)('the storage of latchkey serve is a process of its own, which', () => {
  const cwd = sharedFolder()
  let shared: Both
  beforeAll(async () => {
    shared = await servedBoth([], cwd)
    return () => end(shared.hub.child)
  })

  it('has no secret in its arguments and its environment, and nothing of the configuration', async () => {
    const { hub } = shared
    const child = childOf(hub.child.pid)
    const shown = ['environ', 'cmdline'].map((what) =>
      readFileSync(`/proc/${child}/${what}`, 'utf8'),
    )
    expect(shown.join('\0')).not.toContain(canary)
    expect(shown.join('\0')).not.toMatch(/LATCHKEY_|SECRET/)
    expect(shown[0]?.split('\0')).toContain('LC_ALL=C')
  })

  // conformance: Attacks / 37. An attacker uses many repositories to take the capacity of others
  it('is started again when it was killed, while the hub stays ready and says what is down', async () => {
    const { hub, storage } = shared
    const { pid } = hub.child
    expect(await readiness(hub)).toEqual({ status: 'ready', storage: 'ready' })
    const first = childOf(pid)
    process.kill(first, 'SIGSTOP')
    // Nobody can start it again meanwhile: it runs, and does not answer.
    expect(await readiness(hub)).toEqual({ status: 'ready', storage: 'down' })
    const metrics = await (await fetch(`${hub.url}/metrics`)).text()
    expect(metrics).toContain('\nlatchkey_storage_up 0\n')
    expect(metrics).not.toContain('latchkey_storage_requests_total')
    process.kill(first, 'SIGKILL')
    await expect.poll(() => countOf(hub, 'storage_started')).toBe(2)
    await expect.poll(() => readiness(hub)).toEqual({ status: 'ready', storage: 'ready' })
    expect(await statusAt(storage)).toBe(401)
    expect(childOf(pid)).not.toBe(first)
    expect(linesOf(hub)).toContainEqual(
      expect.objectContaining({ event: 'storage_ended', code: null, signal: 'SIGKILL' }),
    )
    const again = await (await fetch(`${hub.url}/metrics`)).text()
    expect(again).toContain('\nlatchkey_storage_up 1\n')
    expect(again).toContain('\n# TYPE latchkey_storage_requests_total counter\n')
    expect(again).toContain('\nlatchkey_storage_process_start_time_seconds ')
    const names = [...again.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    expect(names).toHaveLength(new Set(names).size)
  })

  it('drains for SIGTERM and is started again; SIGINT and SIGHUP are for its parent', async () => {
    const { hub } = shared
    const [earlier, starts] = [eventsOf(hub).length, countOf(hub, 'storage_started')]
    process.kill(childOf(hub.child.pid), 'SIGINT')
    process.kill(childOf(hub.child.pid), 'SIGHUP')
    process.kill(childOf(hub.child.pid), 'SIGTERM')
    await expect.poll(() => countOf(hub, 'storage_started')).toBe(starts + 1)
    const ofItsLife = /^storage_(?:started|stopping|stopped|ended)$/
    const events = eventsOf(hub).slice(earlier)
    expect(events.filter((event) => ofItsLife.test(event))).toEqual([
      ...['storage_stopping', 'storage_stopped'],
      ...['storage_ended', 'storage_started'],
    ])
  })

  describe('with metrics for the operator alone,', () => {
    const own = sharedFolder()
    let operations = 0
    let apart: Both
    beforeAll(async () => {
      operations = await freePort()
      apart = await servedBoth(['--operations-port', String(operations)], own)
      return () => end(apart.hub.child)
    })

    it('says how much room its disk has where only the operator reads the metrics', async () => {
      const free = /^latchkey_storage_disk_free_bytes [1-9]/m
      const shown = async (url: string) => (await fetch(`${url}/metrics`)).text()
      const page = await shown(shared.hub.url)
      expect(page).toContain('\nlatchkey_storage_stored_bytes 0\n')
      expect(page).not.toContain('disk_free')
      expect(await shown(`http://127.0.0.1:${operations}`)).toMatch(free)
      expect(await shown(apart.hub.url)).not.toContain('disk_free')
    })

    it('ends with the hub at the second signal, whatever it is doing', async () => {
      const { hub } = apart
      const child = childOf(hub.child.pid)
      process.kill(child, 'SIGSTOP')
      hub.child.kill('SIGTERM')
      await expect.poll(() => hub.output().stderr).toContain('stopping: ')
      hub.child.kill('SIGTERM')
      expect(await hub.ended()).toBe(143)
      await expect.poll(() => isGone(child)).toBe(true)
    })
  })

  describe('after its hub was killed,', () => {
    let next: Both
    let endNext = async () => {}
    afterAll(() => endNext())

    it('leaves when the hub was killed, so that the next one finds its port free', async () => {
      const { hub, storage } = shared
      const child = childOf(hub.child.pid)
      hub.child.kill('SIGKILL')
      await expect.poll(() => isGone(child)).toBe(true)
      const { port } = new URL(storage)
      next = await servedBoth(['--storage-port', port], cwd)
      endNext = () => end(next.hub.child)
      expect(next.storage).toBe(storage)
      expect(await statusAt(storage)).toBe(401)
    })

    it('stops before the hub does, both with their last lines in one log', async () => {
      const { hub } = next
      const child = childOf(hub.child.pid)
      // As a terminal does it.
      process.kill(child, 'SIGINT')
      hub.child.kill('SIGINT')
      expect(await hub.ended()).toBe(0)
      expect(isGone(child)).toBe(true)
      const ofTheirLives = /^(?:hub|storage)_(?:started|stopping|stopped|ended)$/
      expect(eventsOf(hub).filter((event) => ofTheirLives.test(event))).toEqual([
        ...['hub_started', 'storage_started'],
        ...['storage_stopping', 'storage_stopped', 'hub_stopping', 'hub_stopped'],
      ])
    })
  })
})
