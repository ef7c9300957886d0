/** Large files: told of, found by their hashes, and handed on from the storage. */

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { publicUrl } from './forge-world.ts'
import { type LargeWorld, startLargeForge } from './large-world.ts'

describe.skipIf(!isGitThere)('a large file', () => {
  const bytes = randomBytes(300_000)
  let world: LargeWorld
  let made: Awaited<ReturnType<LargeWorld['commitLarge']>>
  let commit: string
  const address = '/acme/large/resolve/main/folder/weights.safetensors'
  beforeAll(async () => {
    world = await startLargeForge()
    await world.create('large')
    made = await world.commitLarge('large', 'folder/weights.safetensors', bytes)
    commit = made.made.json.commitOid
  })
  afterAll(() => world?.stopped())

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
      'content-security-policy': "default-src 'none'; sandbox",
    })
    const plan = `${await world.casUrl('large')}/v1/reconstructions/${made.hash}`
    expect(headers.get('link')).toBe(
      `<${auth}>; rel="xet-auth", <${plan}>; rel="xet-reconstruction-info"`,
    )
    const info = await get(address, { accept: 'application/vnd.xet-fileinfo+json, */*' })
    expect(info.headers.get('content-type')).toBe('application/vnd.xet-fileinfo+json')
    expect(await info.json()).toMatchObject({ hash: made.hash, refreshUrl: auth, size: 300_000 })
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
