/** Uploads and commits stop before the disk is full, and a hub on that disk still revokes. */

import { statfsSync } from 'node:fs'
import { type Prepared, prepareData } from '@latchkey/testing/hub/prepared-data'
import { latchkey, latchkeyJson } from '@latchkey/testing/machine/command'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { roomToStart } from '@latchkey/testing/machine/latchkey-bin'
import { mountSmallDisk } from '@latchkey/testing/machine/small-disk'
import { makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Ref, type StorageProcess, serveStorage } from './storage-process.ts'

const mebibyte = 1024 ** 2
const reserved = 12 * mebibyte
const disk = mountSmallDisk(40)
const someHash = makeXorb(randomChunks('never sent', 1, 100), { scheme: 'none' }).hash
const around = { cwd: sharedFolder() }

describe.skipIf(disk === undefined)('on a disk that uploads have filled up to the reserve', () => {
  let prepared: Prepared
  let storage: StorageProcess
  let ref: Ref
  let refused: { readonly status: number; readonly text: string }
  const free = () => {
    const { bavail, bsize } = statfsSync(disk?.folder ?? '')
    return bavail * bsize
  }
  const token = () => prepared.tokens['writer/write'] ?? ''
  const ask = (path: string, body: string, type = 'application/json') =>
    fetch(storage.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token()}`, 'content-type': type },
      body,
    })
  const create = (name: string) =>
    ask('/api/repos/create', JSON.stringify({ name, organization: 'acme' }))
  const commit = (content: string) => {
    const lines = [
      { key: 'header', value: { summary: 'a commit' } },
      { key: 'file', value: { path: 'a.txt', content, encoding: 'utf-8' } },
    ]
    const body = lines.map((line) => JSON.stringify(line)).join('\n')
    return ask('/api/models/acme/early/commit/main', body, 'application/x-ndjson')
  }

  beforeAll(async () => {
    prepared = await prepareData(disk?.folder ?? '')
    const options = ['--forge', '--storage-reserved-bytes', `${reserved}`]
    storage = await serveStorage(prepared, around.cwd, roomToStart, options)
    ref = await storage.openRef('main')
    expect((await create('early')).status).toBe(200)
    expect((await commit('before')).status).toBe(200)
    // A large one that is refused in its middle leaves room again; small ones take that, too.
    for (const chunks of [32, 1]) {
      for (let made = 0; made < 80; made += 1) {
        const words = `reserved ${chunks} ${made}`
        const xorb = makeXorb(randomChunks(words, chunks, 65_536), { scheme: 'none' })
        const { status, body } = await ref.sendXorb(xorb.hash, new Uint8Array(xorb.bytes))
        refused = { status, text: body.toString() }
        if (status !== 200) break
      }
    }
  }, 60_000)
  afterAll(async () => {
    await storage?.end('SIGKILL')
    disk?.remove()
  })

  test('an upload is refused with 507, and most of the reserve is left', () => {
    expect(refused.status).toBe(507)
    expect(refused.text).toContain('operator must free some space')
    expect(free()).toBeGreaterThan(reserved - 3 * mebibyte)
  })

  test('a commit and a new repository get 507, and the repository is not there', async () => {
    for (const answer of [await commit('after'), await create('late')]) {
      expect([answer.status, await answer.json()]).toMatchObject([507, { code: 'storage_full' }])
    }
    const headers = { authorization: `Bearer ${token()}` }
    const text = await fetch(`${storage.url}/acme/early/resolve/main/a.txt`, { headers })
    expect(await text.text()).toBe('before')
    for (const [name, status] of [
      ['early', 200],
      ['late', 404],
    ] as const) {
      const shown = await fetch(`${storage.url}/api/models/acme/${name}`, { headers })
      expect([name, shown.status]).toEqual([name, status])
    }
  })

  test('a storage token and a hub token are revoked all the same', async () => {
    const reported = await storage.openRef('main')
    const post = await fetch(`${storage.url}/revoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tokens: [reported.accessToken] }),
    })
    expect(post.status).toBe(202)
    await expect.poll(() => statusOf(reported)).toBe(401)

    const listed = await latchkeyJson<{ items: readonly { id: string; name: string }[] }>(
      ['hub-token', 'list', '--account', 'writer', '--data', prepared.data],
      around,
    )
    const { id = '' } = listed.items.find(({ name }) => name === 'write') ?? {}
    const words = ['revoke', 'hub-token', id, '--data', prepared.data]
    const { code, stderr } = await latchkey(words, around)
    expect([code, stderr]).toEqual([0, expect.anything()])
    await expect.poll(() => statusOf(ref)).toBe(401)
  })
})

async function statusOf(ref: Ref): Promise<number> {
  return (await ref.readXorb(someHash)).status
}
