/** Clients that upload large files without Xet, to `latchkey serve --forge`. */

import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { uploadFiles } from '@huggingface/hub'
import { findProgram, isGitLfsMissing } from '@latchkey/testing/tools/find-program'
import { isInstalled, pythonClients } from '@latchkey/testing/tools/python-environments'
import { describe, expect, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { hubWithForge } from './hub-with-forge.ts'

const run = promisify(execFile)
const hasGit = findProgram('git') !== undefined
if (!hasGit) console.warn('NOT TESTED: git is not installed, so no large file is uploaded')
const hasGitLfs = !isGitLfsMissing('large files are not uploaded with it')
/** The oldest of those that are tested. */
const environment = pythonClients[0]
const hasPython = environment !== undefined && isInstalled(environment)
if (!hasPython)
  console.warn('NOT TESTED: huggingface_hub is not installed, so it uploads nothing without hf_xet')
const patience = { timeout: 120_000 }

const gitConfig = `[filter "lfs"]
  clean = git-lfs clean -- %f
  smudge = git-lfs smudge -- %f
  process = git-lfs filter-process
  required = true
[user]
  name = ada
  email = ada@example.com
`

const python = `
import os, sys
from huggingface_hub import HfApi
api = HfApi()
for words in ({}, {"create_pr": True}, {}):
    print(api.upload_file(path_or_fileobj=sys.argv[1], path_in_repo="a.bin" if words else "b.bin", repo_id="acme/by-python", **words).oid)
`

describe.skipIf(!hasGit)('without Xet', () => {
  const hub = hubWithForge()
  const around = () => ({
    ...{ PATH: process.env['PATH'] ?? '', HOME: hub.cwd, HF_HOME: join(hub.cwd, 'hf') },
    ...{ HF_ENDPOINT: hub.url, HF_TOKEN: hub.tokens['ada'] ?? '', HF_HUB_DISABLE_XET: '1' },
    ...{ HF_HUB_DISABLE_TELEMETRY: '1', HF_HUB_DISABLE_PROGRESS_BARS: '1' },
  })
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(hub.url + path, {
      ...init,
      headers: { authorization: `Bearer ${hub.tokens['ada']}`, ...init.headers },
    })
  const create = async (name: string) => {
    const body = JSON.stringify({ name, organization: 'acme' })
    const headers = { 'content-type': 'application/json' }
    const { status } = await ask('/api/repos/create', { method: 'POST', body, headers })
    expect(status).toBe(200)
  }
  const read = async (path: string) => Buffer.from(await (await ask(path)).arrayBuffer())

  /** A clone in a new folder, in which files that end with `.bin` are large. */
  async function clone(name: string, folder: string) {
    const config = join(hub.cwd, 'config')
    writeFileSync(config, gitConfig)
    const more = { GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: config }
    const env = { ...around(), ...more }
    const address = `${hub.url.replace('//', `//ada:${hub.tokens['ada']}@`)}/acme/${name}`
    await run('git', ['clone', '--quiet', address, folder], { cwd: hub.cwd, env, ...patience })
    const cwd = join(hub.cwd, folder)
    const git = (...words: string[]) => run('git', words, { cwd, env, ...patience })
    return {
      ...{ cwd, git },
      async commit(files: Readonly<Record<string, Buffer>>) {
        writeFileSync(join(cwd, '.gitattributes'), '*.bin filter=lfs diff=lfs merge=lfs -text\n')
        for (const [path, bytes] of Object.entries(files)) writeFileSync(join(cwd, path), bytes)
        await git('add', '.')
        await git('commit', '--quiet', '--message', 'adds large files')
      },
    }
  }

  // conformance: Forge / Unmodified clients work
  test.skipIf(!hasGitLfs)(
    'git-lfs uploads what a commit needs, and goes on where locks are not supported',
    async () => {
      await create('by-lfs')
      const { git, commit } = await clone('by-lfs', 'by-lfs')
      const contents = [randomBytes(2_500_000), randomBytes(1000), Buffer.from('x')]
      await commit(Object.fromEntries(contents.map((bytes, at) => [`${at}.bin`, bytes])))
      const { stderr } = await git('lfs', 'push', 'origin', 'main')
      expect(stderr).not.toMatch(/error|batch response/i)
      const files = contents.map((bytes, at) => ({
        key: 'lfsFile',
        value: {
          ...{ path: `${at}.bin`, algo: 'sha256', size: bytes.length },
          oid: createHash('sha256').update(bytes).digest('hex'),
        },
      }))
      const lines = [{ key: 'header', value: { summary: 'adds large files' } }, ...files]
      const body = lines.map((line) => JSON.stringify(line)).join('\n')
      const made = await ask('/api/models/acme/by-lfs/commit/main', { method: 'POST', body })
      expect(made.status).toBe(200)
      for (const [at, bytes] of contents.entries())
        expect((await read(`/acme/by-lfs/resolve/main/${at}.bin`)).equals(bytes)).toBe(true)
    },
    patience.timeout,
  )

  // conformance: Forge / Unmodified clients work
  test.skipIf(!hasGitLfs)(
    'git pushes to a branch and makes one, with the large files that git-lfs uploads before',
    async () => {
      await create('pushed')
      const { git, commit } = await clone('pushed', 'pushing')
      await git('lfs', 'install', '--local')
      const [first, second] = [randomBytes(300_000), randomBytes(400_000)]
      await commit({ 'first.bin': first })
      await git('push', '--quiet', 'origin', 'main')
      await commit({ 'second.bin': second })
      await git('push', '--quiet', 'origin', 'main:refs/heads/topic')
      const other = await clone('pushed', 'pulled')
      expect(readFileSync(join(other.cwd, 'first.bin')).equals(first)).toBe(true)
      await other.git('checkout', '--quiet', 'topic')
      expect(readFileSync(join(other.cwd, 'second.bin')).equals(second)).toBe(true)
      // A branch of what is there already sends nothing.
      await git('push', '--quiet', 'origin', 'main:refs/heads/again')
      expect((await read('/acme/pushed/resolve/again/second.bin')).equals(second)).toBe(true)
    },
    patience.timeout,
  )

  // conformance: Forge / Unmodified clients work
  test.skipIf(!hasPython)(
    'huggingface_hub uploads to a branch, and for a pull request',
    async () => {
      await create('by-python')
      const bytes = randomBytes(300_000)
      const file = join(hub.cwd, 'python.bin')
      writeFileSync(file, bytes)
      const words = ['-c', python, file]
      const { stdout } = await run(environment?.python ?? '', words, {
        ...{ env: around(), cwd: hub.cwd, ...patience },
      })
      expect(stdout.trim().split('\n')).toHaveLength(3)
      for (const path of ['main/b.bin', 'refs%2Fpr%2F1/a.bin'])
        expect((await read(`/acme/by-python/resolve/${path}`)).equals(bytes), path).toBe(true)
    },
    patience.timeout,
  )

  // conformance: Forge / Unmodified clients work
  test('huggingface.js uploads to a branch, and for a pull request', async () => {
    await create('by-js')
    const about = { repo: 'acme/by-js', accessToken: hub.tokens['ada'] ?? '', hubUrl: hub.url }
    const bytes = randomBytes(300_000)
    const files = [{ path: 'js.bin', content: new Blob([bytes]) }]
    await uploadFiles({ ...about, files, useXet: false, isPullRequest: true })
    await uploadFiles({ ...about, files, useXet: false })
    for (const path of ['main/js.bin', 'refs%2Fpr%2F1/js.bin'])
      expect((await read(`/acme/by-js/resolve/${path}`)).equals(bytes), path).toBe(true)
  })

  // conformance: Forge / Unmodified clients work
  test('what a client was given ends with its hub token: addresses that read, write and verify', async () => {
    await create('ended')
    const around = { cwd: hub.cwd, env: { LATCHKEY_HUB_TOKEN_PREFIX: 'hf_' } }
    const more = JSON.stringify({ hubTokens: [{ account: 'ada', name: 'ending', kind: 'write' }] })
    const applied = await latchkeyHere(['apply', '-', '--json'], { ...around, input: more })
    const [made] = JSON.parse(applied.stdout).hubTokens
    const files = [randomBytes(1000), randomBytes(900)].map((bytes) => ({
      ...{ bytes, oid: createHash('sha256').update(bytes).digest('hex'), size: bytes.length },
    }))
    const actionsOf = async (operation: string, at: number) => {
      const { oid = '', size = 0 } = files[at] ?? {}
      const answer = await fetch(`${hub.url}/acme/ended.git/info/lfs/objects/batch`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${made.token}`,
          'content-type': 'application/vnd.git-lfs+json',
        },
        body: JSON.stringify({
          ...{ operation, transfers: ['basic'], objects: [{ oid, size }] },
          ref: { name: 'refs/heads/main' },
        }),
      })
      return JSON.parse(await answer.text()).objects[0].actions
    }
    const put = (href: string, at: number) =>
      fetch(href, { method: 'PUT', body: files[at]?.bytes ?? '' })
    const [first, second] = [await actionsOf('upload', 0), await actionsOf('upload', 1)]
    expect((await put(first.upload.href, 0)).status).toBe(200)
    const { download } = await actionsOf('download', 0)
    expect((await fetch(download.href)).status).toBe(200)
    const listed = await latchkeyHere(['hub-token', 'list', '--json'], around)
    const { items }: { items: { id: string; name: string }[] } = JSON.parse(listed.stdout)
    const id = items.find(({ name }) => name === 'ending')?.id ?? ''
    const revoked = await latchkeyHere(['hub-token', 'revoke', id], around)
    expect(revoked.code).toBe(0)
    const read = async () => (await fetch(download.href)).status
    await expect.poll(read, patience).toBe(403)
    expect((await put(second.upload.href, 1)).status).toBe(403)
    const verified = await fetch(first.verify.href, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.git-lfs+json', ...first.verify.header },
      body: JSON.stringify({ oid: files[0]?.oid, size: files[0]?.size }),
    })
    expect(verified.status).toBe(403)
  })
})
