/** `examples/many-hubs`, run as its README says: real hubs, a storage, PostgreSQL and nginx. */

import { spawn } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { rounds } from '@latchkey/testing/chance'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { freePort } from '@latchkey/testing/machine/free-port'
import { findProgram, searchPath } from '@latchkey/testing/tools/find-program'
import { findPostgres, isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { blocksOf, root } from '../documents/commands.ts'
import { latchkeyHere } from '../run-here.ts'
import { collect, end, ended, environmentOf } from '../run-latchkey.ts'

const example = join(root, 'examples/many-hubs')

const missing = ['nginx', 'openssl', 'curl', 'bash'].filter((name) => !findProgram(name))
if (missing.length > 0)
  console.warn(`SKIPPED: examples/many-hubs is not run, because there is no ${missing.join(', ')}`)
const isMissing = isPostgresMissing('examples/many-hubs is not run') || missing.length > 0

const patience = 300_000
const isSoak = rounds(0, 1) === 1

interface Tried {
  readonly cwd: string
  readonly folder: string
  readonly hub: string
  readonly env: Readonly<Record<string, string>>
  /** With the ports of this test in place of those of the document. */
  here(commands: string): string
  stop(): Promise<number | null>
}

describe.skipIf(isMissing)('three hubs behind nginx', () => {
  async function startTry(): Promise<Tried> {
    const cwd = temporaryFolder()
    // Started by root, PostgreSQL runs as another user, who must get to its folder.
    chmodSync(cwd, 0o711)
    const ports = await Promise.all(Array.from({ length: 9 }, freePort))
    const words = (from: number, to: number) => ports.slice(from, to).join(' ')
    const [, , , , , , storage, postgres, https] = ports
    const env = {
      PATH: [join(root, 'node_modules/.bin'), searchPath(), findPostgres()].join(':'),
      HUB_PORTS: words(0, 3),
      OPERATIONS_PORTS: words(3, 6),
      ...{ STORAGE_PORT: `${storage}`, POSTGRES_PORT: `${postgres}`, HTTPS_PORT: `${https}` },
    }
    const child = spawn(join(example, 'try.sh'), {
      cwd,
      env: environmentOf({ cwd, env }),
      stdio: 'pipe',
    })
    const output = collect(child)
    const over = ended(child)
    const stop = () => {
      child.kill('SIGTERM')
      return over
    }
    onTestFinished(async () => void (await stop()))
    while (!output().stderr.includes('ready at')) {
      if (child.exitCode !== null) throw new Error(`try.sh ended: ${output().stderr}`)
      await delay(50)
    }
    const replaced = new Map([
      ['8443', `${https}`],
      ['--port 8080', `--port ${ports[0]}`],
      ['9080', `${ports[3]}`],
      ['db.example', `127.0.0.1:${postgres}`],
      ['examples/many-hubs', example],
    ])
    return {
      ...{ cwd, folder: join(cwd, 'many-hubs-try'), hub: `https://localhost:${https}`, env },
      here: (commands) =>
        [...replaced].reduce((all, [from, to]) => all.replaceAll(from, to), commands),
      stop,
    }
  }

  /** The blocks that its README lets a person paste into the second terminal. */
  function pastedBlocks(): readonly string[] {
    const readme = readFileSync(join(example, 'README.md'), 'utf8')
    const blocks = Array.from(readme.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = '']) => block)
    expect(blocks[0]).toContain('examples/many-hubs/try.sh')
    return blocks.slice(1)
  }

  async function paste(
    { cwd, env, here }: Tried,
    blocks: readonly string[],
  ): Promise<{ code: number | null; said: string }> {
    const script = ['set -e', ...blocks.map(here)].join('\n')
    const shell = spawn('bash', ['-c', script], { cwd, env: environmentOf({ cwd, env }) })
    onTestFinished(() => end(shell))
    const output = collect(shell)
    const code = await ended(shell)
    return { code, said: output().stdout + output().stderr }
  }

  test(
    'do what the README says, and no client notices that one after the other is killed',
    async () => {
      const tried = await startTry()
      const { code, said } = await paste(tried, pastedBlocks())
      expect(code, said).toBe(0)
      expect(said).toMatch(/^ *50 200$/m)
      expect(said).toContain('the same')
      expect(said).toContain('✓ same server')

      const answers = await answersWhile(tried, async () => {
        // The README has killed the second one.
        for (const name of ['hub-1', ...(isSoak ? ['hub-2', 'hub-3'] : [])]) {
          await killAndWait(tried, name)
        }
      })
      // Not how many: a busy machine asks less in the time of a restart.
      expect(answers.length).toBeGreaterThan(5)
      expect(answers.filter(({ status }) => status !== 200)).toEqual([])

      const trusting = ['--ca-cert', 'tls.pem']
      const after = await latchkeyHere(['token', 'read', 'models/acme/bert', ...trusting], {
        cwd: tried.folder,
        env: { LATCHKEY_HUB: tried.hub, LATCHKEY_HUB_TOKEN_FILE: 'ada.token' },
      })
      expect(after).toMatchObject({ code: 0 })

      const blocks = blocksOf('docs/guides/high-availability.md').filter((block) =>
        /^(?:pg_|createdb)/.test(block),
      )
      expect(blocks.length).toBe(2)
      const restored = await paste(tried, [inTry, ...blocks])
      expect(restored.code, restored.said).toBe(0)
      const examined = await examineRestored(tried)
      expect(examined.code, examined.stderr).toBe(0)
      expect(examined.stdout).toMatch(/^✓ schema +latchkey_hub has version/m)
      expect(examined.stdout).toMatch(/^✓ role +latchkey_hub reads and writes rows, and cannot/m)
      expect(examined.stdout).toMatch(/^✓ master key/m)

      await tried.stop()
      for (const port of tried.env['HUB_PORTS']?.split(' ') ?? []) {
        await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow()
      }
    },
    patience,
  )
})

const inTry = 'cd many-hubs-try; export PGPASSFILE=$PWD/pgpass'

/** By the settings of the first hub, beside no hub of its own. */
function examineRestored({ folder, here }: Tried) {
  const database = here('postgres://latchkey_hub@db.example/restored')
  const where = ['--config', 'hub.json', '--data', 'hub-1', '--port', '0', '--database', database]
  const env = { PGPASSFILE: join(folder, 'pgpass'), LATCHKEY_MASTER_KEY_FILE: 'master.key' }
  return latchkeyHere(['doctor', ...where], { cwd: folder, env })
}

/** Kills a hub, and waits until another process has its place and answers. */
async function killAndWait({ folder, env }: Tried, name: string): Promise<void> {
  const pidFile = join(folder, `${name}.pid`)
  const before = readFileSync(pidFile, 'utf8')
  process.kill(Number(before), 'SIGKILL')
  const port = env['OPERATIONS_PORTS']?.split(' ')[Number(name.at(-1)) - 1]
  await vi.waitFor(
    async () => {
      expect(readFileSync(pidFile, 'utf8')).not.toBe(before)
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
    },
    { timeout: patience, interval: 250 },
  )
}

interface Answer {
  readonly status: number
  readonly body: string
}

/** To token requests, four at a time, on connections that stay open. */
async function answersWhile(
  { folder, hub }: Tried,
  work: () => Promise<void>,
): Promise<readonly Answer[]> {
  const token = readFileSync(join(folder, 'ada.token'), 'utf8').trim()
  const ca = readFileSync(join(folder, 'tls.pem'), 'utf8')
  const agent = new Agent({ keepAlive: true, ca })
  const answers: Answer[] = []
  let isOver = false
  const client = async () => {
    while (!isOver) {
      answers.push(await ask(`${hub}/api/models/acme/bert/storage-read-token/main`))
      // Each answer takes the processor from the hub that starts again.
      await delay(200)
    }
  }
  const ask = (url: string) =>
    new Promise<Answer>((resolve) => {
      const asked = request(url, { agent, headers: { authorization: `Bearer ${token}` } })
      asked.on('error', (error) => resolve({ status: 0, body: error.message }))
      asked.on('response', async (response) => {
        const body = await text(response).catch(() => '')
        resolve({ status: response.statusCode ?? 0, body })
      })
      asked.end()
    })
  const clients = Array.from({ length: 4 }, client)
  await work().finally(() => {
    isOver = true
  })
  await Promise.all(clients)
  agent.destroy()
  return answers
}
