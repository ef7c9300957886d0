/** Large files: told of, found by their hashes, and handed on from the storage, also to git-lfs. */

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isGitLfsMissing } from '@latchkey/testing/tools/find-program'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { publicUrl, type Who } from './forge-world.ts'
import { type LargeWorld, startLargeForge } from './large-world.ts'

const run = promisify(execFile)
const hasGitLfs = !isGitLfsMissing('large files are not cloned with it')

const bytes = randomBytes(300_000)
const address = '/acme/large/resolve/main/folder/weights.safetensors'
let world: LargeWorld
let made: Awaited<ReturnType<LargeWorld['commitLarge']>>
let commit: string
beforeAll(async () => {
  if (!isGitThere) return
  world = await startLargeForge({ hidePrivateRepositories: true })
  await world.create('large')
  made = await world.commitLarge('large', 'folder/weights.safetensors', bytes)
  commit = made.made.json.commitOid
})
afterAll(() => world?.stopped())

describe.skipIf(!isGitThere)('a large file', () => {
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(world.hub.url + path, {
      headers: { authorization: `Bearer ${world.tokenOf('reader')}`, ...headers },
    })

  test('is told of with all that a client needs to fetch it from the storage', async () => {
    const { status, headers, text } = await world.ask(address, { as: 'reader', method: 'HEAD' })
    expect([status, text]).toEqual([200, ''])
    const auth = `${publicUrl}/api/models/acme/large/xet-read-token/${commit}`
    expect(Object.fromEntries(headers)).toMatchObject({
      ...{ 'content-length': '300000', 'x-linked-size': '300000', 'x-repo-commit': commit },
      ...{ etag: `"${made.sha256}"`, 'x-linked-etag': `"${made.sha256}"`, 'x-xet-hash': made.hash },
      ...{ 'x-content-type-options': 'nosniff', 'accept-ranges': 'bytes' },
      'content-disposition': "attachment; filename*=UTF-8''weights.safetensors",
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; sandbox, .*; sandbox$/,
      ),
    })
    const plan = `${await world.casUrl('large', commit)}/v1/reconstructions/${made.hash}`
    expect(headers.get('link')).toBe(
      `<${auth}>; rel="xet-auth", <${plan}>; rel="xet-reconstruction-info"`,
    )
    const info = await get(address, { accept: 'application/vnd.xet-fileinfo+json, */*' })
    expect(info.headers.get('content-type')).toBe('application/vnd.xet-fileinfo+json')
    expect(await info.json()).toMatchObject({ hash: made.hash, refreshUrl: auth, size: 300_000 })
  })

  test('without content is refused as absent where its repository was deleted meanwhile', async () => {
    await world.create('deleted')
    const value = { path: 'a.bin', algo: 'sha256', oid: 'a'.repeat(64), size: 5 }
    const body = [
      { key: 'header', value: { summary: 'a commit' } },
      { key: 'lfsFile', value },
    ]
    const commit = () => world.ask('/api/models/acme/deleted/commit/main', { as: 'writer', body })
    expect((await commit()).status).toBe(400)
    world.storage.meanwhile = async () => {
      world.storage.meanwhile = async () => {}
      await world.done('repo delete', { repository: 'models/acme/deleted' })
    }
    expect((await commit()).status).toBe(404)
  })

  test('comes whole or in part to a client that asks for its bytes', async () => {
    const whole = await get(address)
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    const part = await get(address, { range: 'bytes=100-199' })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 100-199/300000'])
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 200))).toBe(true)
    const rest = await get(address, { range: 'bytes=-5', 'if-range': `"${made.sha256}"` })
    expect(Buffer.from(await rest.arrayBuffer()).equals(bytes.subarray(-5))).toBe(true)
    const changed = await get(address, { range: 'bytes=-5', 'if-range': '"another"' })
    expect([changed.status, (await changed.arrayBuffer()).byteLength]).toEqual([200, 300_000])
    const beyond = await get(address, { range: 'bytes=300000-' })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */300000'])
  })

  test('is given raw as the pointer that git has', async () => {
    const raw = await world.ask(address.replace('resolve', 'raw'), { as: 'reader' })
    expect(raw.text).toContain(`oid sha256:${made.sha256}\nsize 300000\n`)
    expect(raw.headers.get('content-security-policy')).toContain('sandbox')
  })

  test('has its hash in listings, asked for once and by each account for itself', async () => {
    const tree = '/api/models/acme/large/tree/main?recursive=1'
    const listed = async (as: 'reader' | 'writer') =>
      (await world.ask(tree, { as })).json.find((one: { lfs?: object }) => one.lfs)
    const before = world.storage.asked.length
    expect(await listed('reader')).toMatchObject({
      ...{ size: 300_000, xetHash: made.hash },
      lfs: { oid: made.sha256, size: 300_000 },
    })
    expect(await listed('reader')).toMatchObject({ xetHash: made.hash })
    expect(world.storage.asked.length - before).toBe(1)
    expect(await listed('writer')).toMatchObject({ xetHash: made.hash })
    expect(world.storage.asked.length - before).toBe(2)
    const { json } = await world.ask('/api/models/acme/large/paths-info/main', {
      ...{ as: 'reader', body: { paths: ['folder/weights.safetensors'] } },
    })
    expect(json[0].xetHash).toBe(made.hash)
  })

  test('of another repository is not committed by its SHA-256', async () => {
    const secret = randomBytes(1000)
    await world.create('elsewhere')
    const { sha256 } = world.storage.put(await world.casUrl('elsewhere'), secret)
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256}\nsize 1000\n`
    const forged = await world.commit('large', { 'forged.txt': pointer })
    expect(forged.json.error).toContain('is a pointer of git-lfs')
    const body = [
      { key: 'header', value: { summary: 'forged' } },
      { key: 'lfsFile', value: { path: 'forged.bin', algo: 'sha256', oid: sha256, size: 1000 } },
    ]
    const address = '/api/models/acme/large/commit/main'
    expect((await world.ask(address, { as: 'writer', body })).status).toBe(400)
  })

  test('of a storage that takes the token no more is refused', async () => {
    world.storage.isRefusing = true
    const refused = await world.ask(address, { as: 'reader' })
    world.storage.isRefusing = false
    expect([refused.status, refused.headers.get('etag')]).toEqual([403, null])
  })
})

describe.skipIf(!isGitThere)('git-lfs', () => {
  const batch = (asked: object, as?: Who, name = 'large') =>
    world.ask(`/acme/${name}.git/info/lfs/objects/batch`, {
      body: { operation: 'download', transfers: ['basic'], ...asked },
      headers: {
        'content-type': 'application/vnd.git-lfs+json',
        ...(as && { authorization: `Basic ${btoa(`${as}:${world.tokenOf(as)}`)}` }),
      },
    })
  const wanted = () => ({ objects: [{ oid: made.sha256, size: 300_000 }] })
  const hrefOf = async (as: Who = 'reader') => {
    const { text } = await batch(wanted(), as)
    return JSON.parse(text).objects[0].actions.download.href.replace(publicUrl, '')
  }

  // conformance: Forge / Hidden and absent repositories get the same response
  test('is asked for a password, and told no more of a hidden repository than of an absent one', async () => {
    const open = await batch(wanted())
    expect([open.status, open.headers.get('www-authenticate')]).toEqual([
      401,
      'Basic realm="latchkey"',
    ])
    const [hidden, absent] = await Promise.all(
      ['large', 'absent'].map(async (name) => {
        const { status, json } = await batch(wanted(), 'stranger', name)
        return { ...json, status, requestId: undefined }
      }),
    )
    expect(hidden).toMatchObject({ status: 404, message: expect.stringContaining('no such') })
    expect(hidden).toEqual(absent)
  })

  test('gets an address for each object that it may have, and a reason for each other', async () => {
    const absent = 'a'.repeat(64)
    const objects = [
      { oid: made.sha256, size: 300_000 },
      { oid: made.sha256, size: 99 },
      { oid: absent, size: 1 },
      { oid: 'ABC', size: 1 },
    ]
    const { status, text, headers } = await batch({ objects }, 'reader')
    expect([status, headers.get('content-type')]).toEqual([200, 'application/vnd.git-lfs+json'])
    const told = JSON.parse(text)
    expect(told).toMatchObject({ transfer: 'basic', hash_algo: 'sha256' })
    expect(told.objects.map(({ error }: { error?: { code: number } }) => error?.code)).toEqual([
      ...[undefined, 404, 404, 422],
    ])
    expect(told.objects[0].actions.download.expires_in).toBe(900)
  })

  test('fetches without credentials, whole or in part, until the address is over', async () => {
    const href = await hrefOf()
    const whole = await fetch(world.hub.url + href)
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    expect(whole.headers.get('content-security-policy')).toContain('sandbox')
    const part = await world.ask(href, { headers: { range: 'bytes=299990-' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([
      206,
      'bytes 299990-299999/300000',
    ])
    const at = href.indexOf('proof=') + 'proof='.length + 20
    const other = href[at] === 'A' ? 'B' : 'A'
    const bad = [
      href.slice(0, at) + other + href.slice(at + 1),
      href.replace(made.sha256, 'b'.repeat(64)),
      href.replace('/acme/large', '/acme/other'),
      href.slice(0, href.indexOf('?')),
    ]
    for (const path of bad) expect((await world.ask(path)).status).toBe(403)
    world.passSeconds(900)
    expect((await world.ask(href)).status).toBe(403)
  })

  test('gets nothing by an address whose token the storage takes no more', async () => {
    const href = await hrefOf()
    world.storage.isRefusing = true
    expect((await world.ask(href)).status).toBe(403)
    world.storage.isRefusing = false
  })

  test('sees through a hub token of some refs what those refs have', async () => {
    const { json } = await world.ask('/api/models/acme/large', { as: 'owner' })
    const repository = 'models/acme/large'
    await world.done('ref set', { repository, ref: 'dev', commit: json.sha, from: 'main' })
    const secret = world.storage.put(await world.casUrl('large', 'dev'), randomBytes(500))
    const objects = [{ oid: secret.sha256, size: 500 }]
    const codes = async (as: Who) => {
      const { text } = await batch({ objects, ref: { name: 'refs/heads/dev' } }, as)
      return JSON.parse(text).objects.map(({ error }: { error?: { code: number } }) => error?.code)
    }
    expect(await codes('reader')).toEqual([undefined])
    // Its grant is for main alone.
    expect(await codes('ci-bot')).toEqual([404])
  })

  test('is told what it cannot do', async () => {
    const bad = [
      { operation: 'delete' },
      { objects: 'all' },
      { objects: [{ oid: 1 }] },
      { objects: [], transfers: ['ssh'] },
    ]
    for (const asked of bad) expect((await batch(asked, 'reader')).status).toBe(400)
    const other = await batch({ objects: [], hash_algo: 'sha1' }, 'reader')
    expect(other.status).toBe(409)
    const many = Array.from({ length: 501 }, () => ({ oid: made.sha256, size: 1 }))
    expect((await batch({ objects: many }, 'reader')).status).toBe(413)
  })

  // conformance: Forge / Unmodified clients work
  test.skipIf(!hasGitLfs)('clones a repository with its large files', async () => {
    const cwd = join(world.data, 'clones')
    mkdirSync(cwd)
    const here = world.hub.url.replace('//', `//reader:${world.tokenOf('reader')}@`)
    // The hub names its own address, which is not where it listens in this test.
    const config = `[filter "lfs"]
      clean = git-lfs clean -- %f
      smudge = git-lfs smudge -- %f
      process = git-lfs filter-process
      required = true
    [lfs "transfer"]
      enablehrefrewrite = true
    [url "${world.hub.url}/"]
      insteadOf = ${publicUrl}/
    `
    writeFileSync(join(cwd, 'config'), config)
    const env = {
      ...{ PATH: process.env['PATH'] ?? '', HOME: cwd, GIT_TERMINAL_PROMPT: '0' },
      ...{ GIT_CONFIG_GLOBAL: join(cwd, 'config'), GIT_CONFIG_NOSYSTEM: '1' },
    }
    const clone = ['clone', '--quiet', `${here}/acme/large`, 'clone']
    await run('git', clone, { cwd, env, timeout: 60_000 })
    expect(readFileSync(join(cwd, 'clone', 'folder', 'weights.safetensors')).equals(bytes)).toBe(
      true,
    )
  })
})
