/** A whole installation with a forge on a machine of its own, as its clients and its operator find it. */

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { ownDatabase } from '@latchkey/testing/postgres/own-database'
import { findProgram } from '@latchkey/testing/tools/find-program'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { isInstalled, pythonClients } from '@latchkey/testing/tools/python-environments'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ForgeSite, openForgeSite } from './forge-site.ts'
import { isMissing } from './programs.ts'

const untested = 'that two hubs and a forge serve clients behind nginx'
const hasGit = findProgram('git') !== undefined
if (!hasGit) console.warn(`NOT TESTED: ${untested}. There is no git on this machine.`)
const isUntested = isPostgresMissing(untested) || isMissing(['nginx'], untested) || !hasGit

const environment = pythonClients.at(-1)
const hasHf = environment !== undefined && isInstalled(environment)

const patience = { timeout: 120_000 }
const run = promisify(execFile)

/** The command hf, several times in one process: each start of Python takes half a second. */
const hf = `
import json, sys
from huggingface_hub.cli.hf import main as hf
for words in json.loads(sys.argv[1]):
    sys.argv = ["hf", *words]
    try:
        code = hf() or 0
    except SystemExit as end:
        code = end.code or 0
    if code:
        sys.exit(f"{words}: {code}")
`

describe.skipIf(isUntested)('two hubs on one PostgreSQL and a forge behind nginx', () => {
  const cwd = sharedFolder()
  let site: ForgeSite
  beforeAll(async () => {
    site = await openForgeSite(cwd, await ownDatabase())
    await createRepository('closed')
  }, patience.timeout)
  afterAll(() => site?.close())

  const authorized = () => ({ authorization: `Bearer ${site.token}` })
  const around = () => ({
    ...{ PATH: process.env['PATH'] ?? '', HOME: cwd, HF_HOME: join(cwd, 'hf') },
    ...{ HF_ENDPOINT: site.url, HF_TOKEN: site.token, HF_HUB_DISABLE_PROGRESS_BARS: '1' },
    ...{ SSL_CERT_FILE: join(cwd, 'ca.pem'), REQUESTS_CA_BUNDLE: join(cwd, 'ca.pem') },
    ...{ GIT_SSL_CAINFO: join(cwd, 'ca.pem'), GIT_TERMINAL_PROMPT: '0' },
    ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_LFS_SKIP_SMUDGE: '1' },
    ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org' },
    ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.org' },
  })
  const git = async (...words: readonly string[]) =>
    (await run('git', words, { cwd, env: around(), ...patience })).stdout.trim()
  const clone = (name: string, folder: string) =>
    git(
      'clone',
      '--quiet',
      `${site.url.replace('//', `//ada:${site.token}@`)}/acme/${name}`,
      folder,
    )
  const createRepository = async (name: string) => {
    const headers = { ...authorized(), 'content-type': 'application/json' }
    const body = JSON.stringify({ name, organization: 'acme' })
    const made = await site.ask('/api/repos/create', { method: 'POST', headers, body })
    expect([made.status, made.body]).toEqual([200, expect.anything()])
  }

  // conformance: Forge / Unmodified clients work
  test.skipIf(!hasHf)(
    'hf uploads and downloads a large and a small file',
    async () => {
      const weights = randomBytes(300_000)
      mkdirSync(join(cwd, 'model'))
      writeFileSync(join(cwd, 'model/weights.safetensors'), weights)
      writeFileSync(join(cwd, 'model/config.json'), '{}')
      const commands = [
        ['repos', 'create', 'acme/by-hf'],
        ['upload', 'acme/by-hf', join(cwd, 'model')],
        ['download', 'acme/by-hf', '--local-dir', join(cwd, 'back')],
      ]
      const words = ['-c', hf, JSON.stringify(commands)]
      await run(environment?.python ?? '', words, { cwd, env: around(), ...patience })
      expect(readFileSync(join(cwd, 'back/weights.safetensors')).equals(weights)).toBe(true)
      expect(readFileSync(join(cwd, 'back/config.json'), 'utf8')).toBe('{}')
    },
    patience.timeout,
  )

  // conformance: Forge / Unmodified clients work
  test(
    'git clones, pushes, and clones again what it has pushed',
    async () => {
      await createRepository('by-git')
      await clone('by-git', 'one')
      const inOne = (...words: readonly string[]) => git('-C', join(cwd, 'one'), ...words)
      writeFileSync(join(cwd, 'one/a.txt'), 'text')
      await inOne('add', '.')
      await inOne('commit', '--quiet', '--message', 'adds a.txt')
      await inOne('tag', '--annotate', 'v1', '--message', 'first')
      await inOne('push', '--quiet', 'origin', 'HEAD:main', 'HEAD:refs/heads/topic', 'v1')
      await clone('by-git', 'two')
      const refsOf = (folder: string) =>
        git('-C', join(cwd, folder), 'for-each-ref', '--format=%(objectname) %(refname)')
      await inOne('fetch', '--quiet')
      expect(await refsOf('two')).toBe(await refsOf('one'))
      expect(await git('-C', join(cwd, 'two'), 'show', 'v1:a.txt')).toBe('text')
      await git('-C', join(cwd, 'two'), 'fsck', '--strict')
    },
    patience.timeout,
  )

  test('a session of one hub shows a private repository through both', async () => {
    const headers = {
      ...{ accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      'sec-fetch-site': 'same-origin',
    }
    const body = new URLSearchParams({ token: site.token }).toString()
    const { cookie, status } = await site.ask('/login', { method: 'POST', headers, body })
    expect(status).toBe(303)
    for (let count = 0; count < 4; count += 1) {
      const seen = { accept: 'text/html', cookie }
      const page = await site.ask('/acme/closed', { headers: seen })
      expect([page.status, page.body]).toEqual([200, expect.stringContaining('acme/closed')])
      const withoutSession = await site.ask('/acme/closed', { headers: { accept: 'text/html' } })
      expect(withoutSession.status).toBe(401)
    }
  })

  test('a second forge does not start, and names the forge of the directory and the command that changes it', async () => {
    const id = readFileSync(join(cwd, 'forge/forge/id'), 'utf8').trim()
    const { code, stderr } = await site.runSecondForge()
    const ownId = readFileSync(join(cwd, 'other/forge/id'), 'utf8').trim()
    expect([code, stderr]).toEqual([3, expect.stringContaining(`latchkey forge adopt ${ownId}`)])
    expect(stderr).toContain(id)
    const headers = authorized()
    expect((await site.ask('/api/models/acme/closed', { headers })).status).toBe(200)
  })

  test(
    'while the forge is down both hubs issue tokens, and its routes say when to try again',
    async () => {
      const headers = authorized()
      const issued = (at: number) =>
        site.hubs[at]?.output().stdout.match(/"event":"token_issued"/g)?.length ?? 0
      const before = [issued(0), issued(1)]
      let isOver = false
      const statuses = new Map<number, number>()
      const askTokens = async () => {
        for (let count = 0; count < 100 || !isOver; count += 1) {
          const path = '/api/models/acme/closed/storage-read-token/main'
          const { status } = await site.ask(path, { headers })
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          // Each response takes the processor from the forge that starts.
          if (count >= 100) await new Promise((resolve) => setTimeout(resolve, 100))
        }
      }
      const takeForgeDown = async () => {
        await site.forge().end('SIGKILL')
        const down = { status: 503, retryAfter: expect.stringMatching(/^\d+$/) }
        // The first goes straight to the forge, the second passes a hub.
        for (const path of ['/api/models/acme/closed', '/acme/closed']) {
          expect(await site.ask(path, { headers })).toMatchObject(down)
        }
        await site.startForge()
        const readAgain = async () =>
          (await site.ask('/api/models/acme/closed', { headers })).status
        await expect.poll(readAgain, { timeout: 30_000 }).toBe(200)
      }
      const asking = [askTokens(), askTokens(), askTokens()]
      await takeForgeDown().finally(() => {
        isOver = true
      })
      await Promise.all(asking)
      expect([...statuses.keys()]).toEqual([200])
      expect(statuses.get(200)).toBeGreaterThanOrEqual(300)
      for (const at of [0, 1])
        await expect.poll(() => issued(at) - (before[at] ?? 0)).toBeGreaterThan(50)
    },
    patience.timeout,
  )
})
