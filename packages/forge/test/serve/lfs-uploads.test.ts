/** Uploads of large files that stand still, break off or meet a storage that fails. */

import { createHash, randomBytes } from 'node:crypto'
import { type ClientRequest, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isGitThere } from '../real-git.ts'
import { publicUrl, type Who } from './forge-world.ts'
import { type LargeWorld, startLargeForge } from './large-world.ts'

let world: LargeWorld
beforeAll(async () => {
  if (!isGitThere) return
  world = await startLargeForge()
  await world.create('uploads')
})
afterAll(() => world?.stopped())

interface Wanted {
  readonly bytes: Buffer
  readonly oid: string
  readonly href: string
  readonly verify: { readonly href: string; readonly header: Readonly<Record<string, string>> }
}

async function wanted(as: Who = 'writer', size = 1000): Promise<Wanted> {
  const bytes = randomBytes(size)
  const oid = createHash('sha256').update(bytes).digest('hex')
  const objects = [{ oid, size }]
  const { status, json } = await world.ask('/acme/uploads.git/info/lfs/objects/batch', {
    ...{ as, body: { operation: 'upload', ref: { name: 'refs/heads/main' }, objects } },
  })
  if (status !== 200) throw new Error(JSON.stringify(json))
  const { upload, verify } = json.objects[0].actions
  return { bytes, oid, href: upload.href.replace(publicUrl, ''), verify }
}

const put = async ({ href, bytes }: Pick<Wanted, 'href' | 'bytes'>) => {
  const body = new Uint8Array(bytes)
  const response = await fetch(world.hub.url + href, { method: 'PUT', body })
  const json = (await response.json()) as { readonly message?: string }
  return { status: response.status, json }
}

/** Sends two thirds, and nothing more. */
function hanging({ href, bytes }: Wanted): ClientRequest {
  const headers = { 'content-length': String(bytes.length) }
  const sending = request(world.hub.url + href, { method: 'PUT', headers, agent: false })
  sending.on('error', () => {})
  sending.write(bytes.subarray(0, (2 * bytes.length) / 3))
  return sending
}

const begun = () => world.storage.begun.filter((line) => line.startsWith('PUT')).length

describe.skipIf(!isGitThere)('an upload of a large file', () => {
  test('that hangs takes the share of its account, and leaves the rest to other accounts', async () => {
    const before = begun()
    const many = await Promise.all(Array.from({ length: 17 }, () => wanted('writer', 300_000)))
    const hung = many.map(hanging)
    await expect.poll(begun).toBeGreaterThanOrEqual(before + 16)
    expect((await put(await wanted('owner'))).status).toBe(200)
    expect(begun()).toBe(before + 17)
    // A client that leaves gives its place to the next one of its account.
    for (const one of hung.slice(0, 16)) one.destroy()
    await expect.poll(begun).toBe(before + 18)
    hung.at(-1)?.destroy()
  })

  test('reaches the storage as it comes, and is refused with what the storage says', async () => {
    const upload = await wanted()
    expect((await put({ ...upload, bytes: randomBytes(1000) })).status).toBe(422)
    // A storage that compares nothing.
    world.storage.isCareless = true
    expect((await put({ ...upload, bytes: randomBytes(1000) })).status).toBe(502)
    world.storage.isCareless = false
    world.storage.isRefusing = true
    const revoked = await put(upload)
    world.storage.isRefusing = false
    expect([revoked.status, revoked.json.message]).toEqual([
      403,
      'Your permission to upload this was revoked or has expired. Request it again.',
    ])
    expect((await put(upload)).status).toBe(200)
    const large = await wanted('writer', 4_000_000)
    expect((await put(large)).status).toBe(200)
    expect(world.storage.asked.at(-1)).toBe('PUT /v1/files')
  })

  test('is named in addresses and headers without the storage token or hub token in them', async () => {
    const { href, verify } = await wanted()
    const told = decodeURIComponent(href) + JSON.stringify(verify)
    expect(told).not.toContain(world.tokenOf('writer'))
    expect(told).not.toMatch(/eyJ/)
    expect(verify.header['Authorization']).toMatch(/^LFS-Proof [\w-]+$/)
    expect(world.logLines.join('\n')).not.toContain(href.split('proof=')[1])
  })
})
