import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { askHub } from '@latchkey/testing/hub/ask-hub'
import { childrenOf, hasProc, isGone } from '@latchkey/testing/machine/child-processes'
import { latchkey, type Serving, serve } from '@latchkey/testing/machine/command'
import { sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import {
  type Answer,
  askOnce,
  connections,
  putUnderLoad,
  sharedHub,
  type WorkerHub,
  wanted,
  workerWorld,
} from './worker-world.ts'

if (!hasProc) console.warn('SKIPPED: there is no /proc, so the worker processes are not found')

const start = workerWorld()
const alone = ['--no-storage', '--workers', '2', '--limits-requests-per-minute', '0']
const slow = { timeout: 60_000 }
/** Of the answers under load: each client has had several. */
const many = 5 * connections

/** In lines of the log from this one on. */
const workersWith = (hub: WorkerHub, event: string, from = 0) =>
  new Set(
    hub
      .lines()
      .slice(from)
      .flatMap((line) => (line.event === event ? [line.worker] : [])),
  )
const startsOf = (hub: WorkerHub) =>
  hub.lines().filter(({ event }) => event === 'hub_started').length
/** The worker that was started last. */
const newestOf = (hub: WorkerHub) => hub.children().at(-1) ?? 0
const readiness = async ({ url }: WorkerHub) => (await fetch(`${url}/readyz`)).json()
const statusesOf = (answers: readonly { status: number }[]) => [
  ...new Set(answers.map(({ status }) => status)),
]

describe.skipIf(!hasProc)('a hub with two workers', () => {
  describe('that is stopped in the end', () => {
    // A client of the load asks several times within the deadline, so that its connection is free to be closed.
    const args = [...alone, '--stop-deadline-seconds', '3', '--config', 'hub.json']
    const shared = sharedHub(start, args, (folder) =>
      writeFileSync(join(folder, 'hub.json'), JSON.stringify({ token: { lifetimeSeconds: 600 } })),
    )

    it('gives tokens from both, behind one address, and says in the log which one', async () => {
      const hub = shared()
      const load = putUnderLoad(hub, hub.token('writer/write'))
      await expect.poll(() => workersWith(hub, 'token_issued'), slow).toEqual(new Set([1, 2]))
      await load.stop()
      expect(statusesOf(load.answers)).toEqual([200])
      expect(hub.children()).toHaveLength(2)
      expect(await readiness(hub)).toEqual({ status: 'ready', workers: { ready: 2, of: 2 } })
      expect(workersWith(hub, 'hub_started')).toEqual(new Set([1, 2]))
    })

    it('refuses a hub token at every worker from the moment on at which it is revoked', async () => {
      const hub = shared()
      const earlier = hub.lines().length
      const token = hub.token('reader/write')
      const load = putUnderLoad(hub, token)
      await expect.poll(() => workersWith(hub, 'token_issued', earlier).size, slow).toBe(2)
      const around = { cwd: hub.folder }
      const own = ['--data', hub.data]
      const words = ['hub-token', 'list', '--account', 'reader', '--json', ...own]
      const { items }: { items: readonly { id: string; name: string }[] } = JSON.parse(
        (await latchkeyHere(words, around)).stdout,
      )
      const { id = '' } = items.find(({ name }) => name === 'write') ?? {}
      const { code } = await latchkeyHere(['hub-token', 'revoke', id, ...own], around)
      expect(code).toBe(0)
      const revokedAt = performance.now()
      const before = load.answers.length
      await expect.poll(() => load.answers.length, slow).toBeGreaterThan(before + many)
      await load.stop()
      const later = load.answers.filter(({ sentAt }) => sentAt > revokedAt)
      expect(later.length).toBeGreaterThan(many / 2)
      expect(later.filter(({ status }) => status === 200)).toEqual([])
      await expect.poll(() => workersWith(hub, 'token_refused'), slow).toEqual(new Set([1, 2]))
    })

    it('fails no request but those in the hands of a worker that is killed, and starts another', async () => {
      const hub = shared()
      const starts = startsOf(hub)
      const load = putUnderLoad(hub, hub.token('writer/write'))
      await expect.poll(() => load.answers.length, slow).toBeGreaterThan(many)
      const killedAt = performance.now()
      process.kill(newestOf(hub), 'SIGKILL')
      await expect.poll(() => startsOf(hub), slow).toBe(starts + 1)
      const before = load.answers.length
      await expect.poll(() => load.answers.length, slow).toBeGreaterThan(before + many)
      await load.stop()
      const failed = load.answers.filter(({ status }) => status !== 200)
      expect(failed.length).toBeLessThanOrEqual(connections + 1)
      for (const { status, sentAt } of failed) {
        expect(status).toBe(0)
        expect(sentAt - killedAt).toBeLessThan(1000)
      }
      const [ended] = hub.lines().filter(({ event }) => event === 'worker_ended')
      expect(ended).toMatchObject({ level: 'error', signal: 'SIGKILL', startsInMs: 250 })
    })

    it('has one page of metrics, whose counters stay when a worker ends', async () => {
      const hub = shared()
      const token = hub.token('writer/write')
      const issued = () => hub.metric('latchkey_tokens_issued_total{scope="read"}')
      const answered = () => hub.metric('latchkey_token_request_seconds_count{outcome="issued"}')
      const earlier = { issued: await issued(), answered: await answered(), starts: startsOf(hub) }
      for (let number = 0; number < 10; number += 1) await askOnce(hub, token)
      expect(await issued()).toBe(earlier.issued + 10)
      expect(await answered()).toBe(earlier.answered + 10)
      expect(await hub.metric('latchkey_workers')).toBe(2)
      expect(await hub.metric('latchkey_workers_up')).toBe(2)
      process.kill(newestOf(hub), 'SIGKILL')
      await expect.poll(() => startsOf(hub), slow).toBe(earlier.starts + 1)
      expect(await issued()).toBe(earlier.issued + 10)
      // One that is told to end by itself loses no count, also without a look at the metrics before.
      for (let number = 0; number < 10; number += 1) await askOnce(hub, token)
      process.kill(newestOf(hub), 'SIGTERM')
      await expect.poll(() => startsOf(hub), slow).toBe(earlier.starts + 2)
      expect(await issued()).toBe(earlier.issued + 20)
    })

    it('waits longer each time before it starts a worker that ends again', () => {
      const ended = shared()
        .lines()
        .filter(({ event }) => event === 'worker_ended')
      // All of them of one worker.
      expect(new Set(ended.map(({ worker }) => worker)).size).toBe(1)
      expect(ended.map((line) => line['startsInMs'])).toEqual([250, 500, 1000])
    })

    it('closes a connection that was on its way to a worker that is killed', async () => {
      const hub = shared()
      const starts = startsOf(hub)
      const [first = 0] = hub.children()
      process.kill(first, 'SIGSTOP')
      const token = hub.token('writer/write')
      const answers: Answer[] = []
      const asked = Array.from({ length: 6 }, async () => answers.push(await askOnce(hub, token)))
      // One waits at the worker that does not move; the other worker has the rest.
      await expect.poll(() => answers.length, slow).toBe(5)
      const killedAt = performance.now()
      process.kill(first, 'SIGKILL')
      await Promise.all(asked)
      expect(performance.now() - killedAt).toBeLessThan(10_000)
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 0])
      await expect.poll(() => startsOf(hub), slow).toBe(starts + 1)
    })

    it('gives a new configuration to every worker at SIGHUP, without a request that fails', async () => {
      const hub = shared()
      const file = join(hub.folder, 'hub.json')
      const token = hub.token('writer/write')
      const lifetime = async () => {
        const { body } = await askHub(hub.url, wanted, { token })
        const { exp, iat } = JSON.parse(atob(JSON.parse(body).accessToken.split('.')[1]))
        return exp - iat
      }
      expect(await lifetime()).toBe(600)
      const old = hub.children()
      const earlier = hub.lines().length
      const load = putUnderLoad(hub, token)
      await expect.poll(() => load.answers.length, slow).toBeGreaterThan(many)
      writeFileSync(
        file,
        JSON.stringify({ token: { lifetimeSeconds: 700 }, limits: { connections: 99 } }),
      )
      hub.child.kill('SIGHUP')
      await expect
        .poll(() => hub.output().stderr, slow)
        .toContain('the configuration was read anew, and every worker has it\n')
      const before = load.answers.length
      await expect.poll(() => load.answers.length, slow).toBeGreaterThan(before + many)
      await load.stop()
      expect(load.answers.filter(({ status }) => status !== 200)).toEqual([])
      expect(old.every(isGone)).toBe(true)
      for (let number = 0; number < 4; number += 1) expect(await lifetime()).toBe(700)
      expect(workersWith(hub, 'worker_ended', earlier)).toEqual(new Set())
    })

    it('keeps its workers when the new configuration has a mistake, and says so in one line', async () => {
      const hub = shared()
      const file = join(hub.folder, 'hub.json')
      const earlier = hub.output().stderr.length
      const old = hub.children()
      const told = () => hub.output().stderr.slice(earlier).split('\n').slice(0, -1)
      writeFileSync(file, '{"tokens":1}')
      hub.child.kill('SIGHUP')
      await expect
        .poll(told, slow)
        .toEqual([
          expect.stringMatching(
            /^latchkey: the configuration stays as it was: .*tokens.* is no option/,
          ),
        ])
      writeFileSync(file, '{"revoke":{"partnerKeys":"missing.json"}}')
      hub.child.kill('SIGHUP')
      await expect.poll(() => told()[1], slow).toMatch(/stays as it was: .*missing\.json/)
      await expect.poll(hub.children, slow).toEqual(old)
      expect((await askOnce(hub, hub.token('writer/write'))).status).toBe(200)
      const kept = () => hub.lines().filter(({ event }) => event === 'configuration_not_changed')
      await expect.poll(kept, slow).toHaveLength(2)
      writeFileSync(file, '{"host":"127.0.0.2"}')
      hub.child.kill('SIGHUP')
      await expect.poll(told, slow).toContain('unchanged until latchkey is started again: host')
    })

    it('stops for SIGTERM with 0 once running requests are done, and leaves no process', async () => {
      const hub = shared()
      const load = putUnderLoad(hub, hub.token('writer/write'))
      await expect.poll(() => load.answers.length, slow).toBeGreaterThan(many)
      const children = hub.children()
      const earlier = hub.lines().length
      const { code, stderr } = await hub.end('SIGTERM')
      expect(code).toBe(0)
      expect(stderr).toContain('stopping: running requests may finish')
      expect(children.every(isGone)).toBe(true)
      expect(workersWith(hub, 'hub_stopped', earlier)).toEqual(new Set([1, 2]))
    })
  })

  describe('with limits, and a master key in its file', () => {
    const perMinute = 30
    const folder = sharedFolder()
    let limited: Limited
    beforeAll(async () => {
      limited = await startLimited(folder, perMinute)
      return async () => void (limited.hub.child.exitCode ?? (await limited.hub.end('SIGKILL')))
    })

    it('shares its limits: beyond them goes at most what comes before the workers hear of each other', async () => {
      const { hub, tokens } = limited
      const [token = '', other = ''] = tokens
      // Far more than one worker lets through, at once.
      const burst = await Promise.all(
        Array.from({ length: 4 * perMinute }, () => askOnce(hub, token)),
      )
      const passed = burst.filter(({ status }) => status === 200).length
      expect(statusesOf(burst).sort()).toEqual([200, 429])
      expect(passed).toBeGreaterThanOrEqual(perMinute)
      expect(passed).toBeLessThanOrEqual(2 * perMinute + 5)
      // One after the other, no more than the limit.
      let slowly = 0
      const beganAt = performance.now()
      for (let number = 0; number < 12; number += 1) {
        const answers = await Promise.all(
          [other, other, other, other].map((one) => askOnce(hub, one)),
        )
        slowly += answers.filter(({ status }) => status === 200).length
        await new Promise((resolve) => setTimeout(resolve, 250))
      }
      const refilled = ((performance.now() - beganAt) / 60_000) * perMinute
      expect(slowly).toBeGreaterThanOrEqual(perMinute)
      // Between two exchanges there were four requests.
      expect(slowly).toBeLessThanOrEqual(perMinute + Math.ceil(refilled) + 4)
    })

    it('shows no secret in the arguments and the environment of a worker, and logs none', () => {
      const { hub, folder } = limited
      const shown = childrenOf(hub.child.pid).flatMap((pid) =>
        ['environ', 'cmdline'].map((what) => readFileSync(`/proc/${pid}/${what}`)),
      )
      const { stdout, stderr } = hub.output()
      expect(existsSync(join(folder, 'latchkey-data', 'master.key'))).toBe(false)
      expect(shown.join('\n')).toContain('worker-child')
      for (const each of [...shown, stdout, stderr]) expectNoSecret(`${each}`)
    })

    it('stops for SIGTERM also while it replaces its workers', async () => {
      const { hub } = limited
      hub.child.kill('SIGHUP')
      await expect.poll(() => childrenOf(hub.child.pid).length, slow).toBe(3)
      const children = childrenOf(hub.child.pid)
      const { code, stdout, stderr } = await hub.end('SIGTERM')
      expect(code).toBe(0)
      expect(children.every(isGone)).toBe(true)
      expectNoSecret(stdout + stderr)
    })

    function expectNoSecret(text: string): void {
      expect(text).not.toContain(limited.masterKey)
      expect(text).not.toContain('embedded_')
    }
  })

  describe('that keeps a storage', () => {
    const args = ['--workers', '2', '--storage-port', '0', '--stop-deadline-seconds', '1']
    const shared = sharedHub(start, args)

    it('serves its storage from every worker', async () => {
      const hub = shared()
      await expect
        .poll(() => readiness(hub), slow)
        .toEqual({ status: 'ready', workers: { ready: 2, of: 2 }, storage: 'ready' })
      const asked = () => hub.lines().filter(({ event }) => event === 'link_called')
      const [first] = asked()
      const worker = hub.children()[(first?.worker ?? 1) - 1] ?? 0
      // The worker that the storage has asked so far ends; the storage goes on with the other.
      process.kill(worker, 'SIGTERM')
      await expect.poll(() => new Set(asked().map((line) => line.worker)).size, slow).toBe(2)
      for (const line of asked())
        expect(line).toMatchObject({ hubToken: 'embedded', outcome: 'done' })
      expect(await hub.metric('latchkey_storage_up')).toBe(1)
    })

    it('ends when its supervisor is killed, so that the port is free', async () => {
      const hub = shared()
      const children = hub.children()
      hub.child.kill('SIGKILL')
      await expect.poll(() => children.every(isGone), slow).toBe(true)
      expect((await askOnce(hub, '')).reason).toContain('ECONNREFUSED')
    })
  })
})

interface Limited {
  readonly hub: Serving
  readonly folder: string
  readonly masterKey: string
  /** Hub tokens of two accounts. */
  readonly tokens: readonly string[]
}

/** On a new directory, because the key of one that exists is in a file. */
async function startLimited(folder: string, perMinute: number): Promise<Limited> {
  const masterKey = randomBytes(32).toString('base64')
  writeFileSync(join(folder, 'hub.json'), JSON.stringify({ masterKey }), { mode: 0o600 })
  const directory = {
    accounts: [{ name: 'ada' }, { name: 'bob' }],
    namespaces: [{ name: 'acme', members: { ada: 'write', bob: 'write' } }],
    repositories: [{ type: 'model', id: 'acme/bert', branches: { main: 'a'.repeat(40) } }],
    hubTokens: ['ada', 'bob'].map((account) => ({ account, name: 'laptop', kind: 'write' })),
  }
  const given = { env: { LATCHKEY_MASTER_KEY: masterKey }, input: JSON.stringify(directory) }
  const { stdout } = await latchkeyHere(['apply', '-', '--json'], { cwd: folder, ...given })
  const made: readonly { token: string }[] = JSON.parse(stdout).hubTokens
  const limits = ['--limits-requests-per-minute', String(perMinute), '--config', 'hub.json']
  const hub = await serve([...alone, ...limits], { cwd: folder })
  return { hub, folder, masterKey, tokens: made.map(({ token }) => token) }
}

describe('a first start of workers that fails', () => {
  it('ends the command with the one line of one process', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const folder = temporaryFolder()
    const { code, stderr } = await latchkeyHere(['serve', ...alone, '--port', String(port)], {
      cwd: folder,
    })
    expect([code, stderr]).toEqual([
      3,
      `latchkey: port ${port} on 127.0.0.1 is taken. Choose another with --port, or stop what listens there.\n`,
    ])
  })

  it('does so also where only a worker finds out', async () => {
    const args = ['serve', ...alone, '--port', '0', '--revoke-partner-keys', 'missing.json']
    const { code, stderr } = await latchkey(args, { cwd: temporaryFolder() })
    expect(code).toBe(3)
    expect(stderr).toMatch(/^latchkey: [^\n]*missing\.json[^\n]*\n$/)
  })
})

it.each(['0', 'many', '257'])('--workers takes no %s', async (given) => {
  const around = { cwd: temporaryFolder() }
  const { code, stderr } = await latchkeyHere(['serve', '--workers', given], around)
  expect([code, stderr]).toEqual([
    2,
    `latchkey: --workers: "${given}" is not allowed; give a whole number from 1 to 256, or auto for as many as there are cores\n`,
  ])
})
