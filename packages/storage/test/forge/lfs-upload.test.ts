/** Uploads by git-lfs and by clients without Xet: the bytes reach the storage through the forge, and commits find them. */

import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { callerWith } from '../caller.ts'
import { type ForgeStage, isGitThere, largeOf, openForgeStage, type Who } from './forge-stage.ts'
import { type BatchWish, type LfsObject, lfsWorld, objectOf, publicUrl } from './lfs-world.ts'

let stage: ForgeStage
let lfs: ReturnType<typeof lfsWorld>
beforeAll(async () => {
  if (!isGitThere) return
  stage = await openForgeStage({ quota: { bytes: 4 * 1024 * 1024, objects: undefined } })
  lfs = lfsWorld(stage)
})
afterAll(() => stage?.close())

const main: BatchWish = { ref: 'refs/heads/main' }
const bytesOf = (length: number) => randomBytes(length)
const commitOf = (model: string, object: LfsObject, revision = 'main', as: Who = 'writer') =>
  stage.api(`/api/models/acme/${model}/commit/${revision}`, {
    as,
    body: [
      { key: 'header', value: { summary: 'adds a large file' } },
      {
        key: 'lfsFile',
        value: { path: 'large.bin', algo: 'sha256', oid: object.oid, size: object.size },
      },
    ],
  })
const served = async (model: string, revision = 'main') => {
  const response = await fetch(
    `${stage.world.hub.url}/acme/${model}/resolve/${revision}/large.bin`,
    { headers: { authorization: `Bearer ${stage.world.tokens['reader/token']?.reveal()}` } },
  )
  return Buffer.from(await response.arrayBuffer())
}

describe.skipIf(!isGitThere)('a large file', () => {
  // conformance: Forge / Unmodified clients work
  test('that is sent without credentials is verified, committed and served', async () => {
    await stage.newModel('sent')
    const bytes = bytesOf(1_300_000)
    const object = objectOf(bytes)
    const { status, json, headers } = await lfs.batch('sent', [object], main)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/vnd.git-lfs+json'])
    expect(json).toMatchObject({ transfer: 'basic', hash_algo: 'sha256' })
    const { actions, authenticated, ...named } = json.objects[0]
    expect([named, authenticated]).toEqual([object, true])
    expect(actions.upload.expires_in).toBeGreaterThan(60)
    const before = await lfs.verify(actions.verify, object)
    expect([before.status, before.json.message]).toEqual([
      404,
      'The storage has no content with this SHA-256 and size. Upload it first.',
    ])
    expect((await commitOf('sent', object)).status).toBe(400)

    expect((await lfs.put(actions.upload.href, [bytes])).status).toBe(200)
    expect((await lfs.verify(actions.verify, object)).status).toBe(200)
    expect((await commitOf('sent', object)).status).toBe(200)
    expect((await served('sent')).equals(bytes)).toBe(true)
    // Sent again, by chance or by a client that lost the answer.
    const again = await lfs.put(actions.upload.href, [bytes], { 'content-length': '1300000' })
    expect(again.status).toBe(200)
    const second = await lfs.batch('sent', [object], main)
    expect(second.json.objects).toEqual([object])
  })

  test('is verified by the hub token of its client once the address is over', async () => {
    await stage.newModel('late')
    const bytes = bytesOf(2000)
    const object = objectOf(bytes)
    const { upload, verify } = await lfs.actions('late', object)
    expect((await lfs.put(upload.href, [bytes])).status).toBe(200)
    expect((await commitOf('late', object)).status).toBe(200)
    stage.world.passSeconds(901)
    expect((await lfs.verify(verify, object)).status).toBe(403)
    expect((await lfs.ask(verify.href, object, 'writer')).status).toBe(200)
    expect((await lfs.ask(verify.href, { ...object, size: 1 }, 'writer')).status).toBe(404)
    const other = { ...object, oid: 'a'.repeat(64) }
    expect((await lfs.ask(verify.href, other, 'writer')).status).toBe(422)
  })

  test('without bytes is there always', async () => {
    await stage.newModel('empty')
    const object = objectOf(Buffer.alloc(0))
    const { json } = await lfs.batch('empty', [object], main)
    expect(json.objects).toEqual([object])
    expect((await commitOf('empty', object)).status).toBe(200)
  })

  test('with other bytes, more or fewer is refused, and nothing of it is registered', async () => {
    await stage.newModel('wrong')
    const bytes = bytesOf(400_000)
    const object = objectOf(bytes)
    const { upload, verify } = await lfs.actions('wrong', object)
    const [, files] = await stage.rows()
    const sent: readonly (readonly [string, readonly Buffer[], Record<string, string>?])[] = [
      ['other bytes', [bytesOf(400_000)]],
      ['other bytes, with a length', [bytesOf(400_000)], { 'content-length': '400000' }],
      ['too few', [bytes.subarray(1)]],
      ['too few, with a length', [bytes.subarray(1)], { 'content-length': '399999' }],
      ['one too many', [bytes, Buffer.from('x')]],
      ['all, and many more', [bytes, bytesOf(200_000), bytesOf(200_000)]],
      ['too many, with a length', [bytes, bytes], { 'content-length': '800000' }],
      ['nothing', []],
    ]
    for (const [what, body, headers] of sent) {
      const { status, json } = await lfs.put(upload.href, body, headers)
      expect([what, status, typeof json.message]).toEqual([what, 422, 'string'])
    }
    const coded = await lfs.put(upload.href, [bytes], { 'content-encoding': 'gzip' })
    const part = await lfs.put(upload.href, [bytes], { 'content-range': 'bytes 0-399999/400000' })
    expect([coded.status, part.status]).toEqual([415, 400])
    expect((await stage.rows())[1]).toBe(files)
    expect((await lfs.verify(verify, object)).status).toBe(404)
    expect((await lfs.put(upload.href, [bytes])).status).toBe(200)
  })

  test('whose client goes away leaves nothing, and can be sent again', async () => {
    await stage.newModel('broken')
    const bytes = bytesOf(4_000_000)
    const object = objectOf(bytes)
    const { upload, verify } = await lfs.actions('broken', object)
    const headers = { 'content-length': String(bytes.length) }
    const sending = request(lfs.here(upload.href), { method: 'PUT', headers, agent: false })
    sending.on('error', () => {})
    sending.write(bytes.subarray(0, 3_000_000))
    await vi.waitFor(() => expect(stage.draftBytes()).toBeGreaterThan(0), 10_000)
    sending.destroy()
    await vi.waitFor(() => expect(stage.draftBytes()).toBe(0), 10_000)
    expect((await lfs.verify(verify, object)).status).toBe(404)
    expect((await lfs.put(upload.href, [bytes])).status).toBe(200)
  })

  test('cannot be sent to another address than the one that was given for it', async () => {
    await stage.newModel('bound')
    await stage.newModel('bound-too')
    const [bytes, others] = [bytesOf(1000), bytesOf(1000)]
    const object = objectOf(bytes)
    const { upload, verify } = await lfs.actions('bound', object)
    const stored = await lfs.actions('bound', objectOf(others))
    await lfs.put(stored.upload.href, [others])
    const { json } = await lfs.batch('bound', [objectOf(others)], {
      more: { operation: 'download' },
    })
    const reading = json.objects[0].actions.download.href.split('proof=')[1]
    const proof = upload.href.split('proof=')[1]
    const at = 30
    const flipped = proof.slice(0, at) + (proof[at] === 'A' ? 'B' : 'A') + proof.slice(at + 1)
    const bad = [
      upload.href.replace(object.oid, objectOf(others).oid),
      upload.href.replace('/bound.git', '/bound-too.git'),
      upload.href.replace('/acme/', '/datasets/acme/'),
      upload.href.replace(proof, flipped),
      upload.href.replace(proof, ''),
      // A proof that reads does not write.
      stored.upload.href.replace(/proof=.*/, `proof=${reading}`),
    ]
    for (const href of bad) {
      const answer = await lfs.put(href, [bytes])
      expect([answer.status, answer.json.code]).toEqual([403, 'blob_url_invalid'])
    }
    // A proof that writes does not read.
    expect((await fetch(lfs.here(upload.href))).status).toBe(403)
    const header = { Authorization: `LFS-Proof ${flipped}` }
    expect((await lfs.verify({ ...verify, header }, object)).status).toBe(403)
    expect((await lfs.verify({ href: verify.href, header: {} }, object)).status).toBe(403)
    const elsewhere = verify.href.replace('/bound.git', '/bound-too.git')
    expect((await lfs.verify({ ...verify, href: elsewhere }, object)).status).toBe(403)
    expect((await lfs.verify(verify, { ...object, size: 999 })).status).toBe(422)
    stage.world.passSeconds(901)
    const late = await lfs.put(upload.href, [bytes])
    expect([late.status, late.json.message]).toEqual([
      403,
      'This address is over, or this hub has not made it. Ask for the large file again.',
    ])
  })

  test('beyond the quota is refused while it comes', async () => {
    await stage.newModel('full')
    const bytes = bytesOf(5 * 1024 * 1024)
    const object = objectOf(bytes)
    const { upload, verify } = await lfs.actions('full', object)
    const { status, json } = await lfs.put(upload.href, [bytes])
    expect([status, json.code]).toEqual([413, 'quota_exceeded'])
    expect((await lfs.verify(verify, object)).status).toBe(404)
    const { json: told } = await lfs.batch('full', [{ oid: object.oid, size: 2 ** 45 }], main)
    expect(told.objects[0].error).toMatchObject({ code: 413 })
  })
})

describe.skipIf(!isGitThere)('an upload', () => {
  test('is for those who may write, and others learn no more', async () => {
    await stage.newModel('rights')
    const object = objectOf(bytesOf(10))
    const anonymous = await lfs.batch('rights', [object], { ...main, as: undefined })
    expect([
      anonymous.status,
      anonymous.headers.get('www-authenticate'),
      anonymous.headers.get('lfs-authenticate'),
      anonymous.headers.get('content-type'),
    ]).toEqual([
      401,
      'Basic realm="latchkey"',
      'Basic realm="latchkey"',
      'application/vnd.git-lfs+json',
    ])
    const reading = await lfs.batch('rights', [object], { ...main, as: 'writer/reading' })
    expect([reading.status, reading.headers.get('content-type'), reading.json.message]).toEqual([
      403,
      'application/vnd.git-lfs+json',
      expect.stringContaining('write'),
    ])
    const stranger = await lfs.batch('rights', [object], { ...main, as: 'stranger' })
    const absent = await lfs.batch('absent', [object], { ...main, as: 'stranger' })
    expect(stranger.status).toBe(404)
    expect({ ...stranger.json, requestId: '' }).toEqual({ ...absent.json, requestId: '' })
  })

  // conformance: Forge / A reader can open a pull request, and no more
  test('of one who may only propose goes to a place of the account, and becomes a pull request', async () => {
    await stage.newModel('proposing')
    const bytes = bytesOf(5000)
    const object = objectOf(bytes)
    await lfs.actions('proposing', object, { ...main, as: 'reader' })
    const { upload } = await lfs.actions('proposing', object, { as: 'reader' })
    expect((await lfs.put(upload.href, [bytes])).status).toBe(200)
    const download = { more: { operation: 'download' }, as: 'owner' } as const
    const hidden = await lfs.batch('proposing', [object], download)
    expect(hidden.json.objects[0].error.code).toBe(404)
    const there = await lfs.batch('proposing', [object], { as: 'reader' })
    expect(there.json.objects).toEqual([object])
    expect((await commitOf('proposing', object, 'main', 'reader')).status).toBe(403)
    const proposed = await commitOf('proposing', object, 'main?create_pr=1', 'reader')
    expect(proposed.status).toBe(200)
    expect((await served('proposing', 'refs%2Fpr%2F1')).equals(bytes)).toBe(true)
  })

  test('for a branch that is not there yet is found when the branch is made', async () => {
    await stage.newModel('branching')
    const bytes = bytesOf(5000)
    const object = objectOf(bytes)
    const { upload } = await lfs.actions('branching', object, { ref: 'refs/heads/later' })
    expect((await lfs.put(upload.href, [bytes])).status).toBe(200)
    const made = await stage.api('/api/models/acme/branching/branch/later', { body: {} })
    expect(made.status).toBe(200)
    expect((await commitOf('branching', object, 'later')).status).toBe(200)
    expect((await served('branching', 'later')).equals(bytes)).toBe(true)
  })

  test('of what the caller may read in the repository sends nothing, and the branch has it', async () => {
    await stage.newModel('known')
    const bytes = bytesOf(5000)
    const object = objectOf(bytes)
    await stage.api('/api/models/acme/known/branch/side', { body: {} })
    const { upload } = await lfs.actions('known', object, { ref: 'refs/heads/side' })
    expect((await lfs.put(upload.href, [bytes])).status).toBe(200)
    expect((await commitOf('known', object, 'side')).status).toBe(200)
    const { json } = await lfs.batch('known', [object, { ...object, size: 4999 }], main)
    expect(json.objects[0]).toEqual(object)
    expect(json.objects[1].actions).toBeDefined()
    expect((await commitOf('known', object)).status).toBe(200)
    expect((await served('known')).equals(bytes)).toBe(true)
  })

  // conformance: Forge / Hidden and absent repositories get the same response
  test('shows nothing of content that other refs and repositories have', async () => {
    await stage.newModel('told')
    await stage.newModel('told-too')
    await stage.api('/api/models/acme/told/branch/dev', { body: {} })
    const bytes = bytesOf(5000)
    const object = objectOf(bytes)
    const { upload } = await lfs.actions('told', object)
    expect((await lfs.put(upload.href, [bytes])).status).toBe(200)
    expect((await commitOf('told', object)).status).toBe(200)
    const never = objectOf(bytesOf(5000))
    const shapeFor = async (model: string, wanted: LfsObject, wish: BatchWish) => {
      const { json } = await lfs.batch(model, [wanted], wish)
      return Object.keys(json.objects[0])
    }
    // The hub token of the bot is for dev alone.
    for (const [model, wish] of [
      ['told', { as: 'ci-bot', ref: 'refs/heads/dev' }],
      ['told-too', main],
    ] as const) {
      const known = await shapeFor(model, object, wish)
      expect(known).toEqual(await shapeFor(model, never, wish))
      expect(known).toContain('actions')
    }
  })

  test('is not answered by a SHA-256 that somebody claims for other content', async () => {
    await stage.newModel('claimed')
    const bytes = bytesOf(800)
    const object = objectOf(bytes)
    const { xorb, file } = largeOf('claims')
    const liar = await stage.callerAt('/api/models/acme/claimed/xet-write-token/main', 'owner')
    await liar.upload(xorb)
    const claim = { ...file, sha256: Buffer.from(object.oid, 'hex') }
    expect((await liar.register([claim], [xorb])).status).toBe(200)
    const { upload, verify } = await lfs.actions('claimed', object)
    expect((await lfs.verify(verify, object)).status).toBe(404)
    expect((await lfs.put(upload.href, [bytes])).status).toBe(200)
    expect((await lfs.verify(verify, object)).status).toBe(200)
    expect((await commitOf('claimed', object)).status).toBe(200)
    expect((await served('claimed')).equals(bytes)).toBe(true)
  })

  test('names its SHA-256, and no more objects than fit', async () => {
    await stage.newModel('bounds')
    const object = objectOf(bytesOf(10))
    const ask = async (objects: readonly object[], more: object = {}) => {
      const { status, json } = await lfs.batch('bounds', objects, { ...main, more })
      return [status, json.code ?? json.objects[0].error.code]
    }
    expect(await ask([object], { hash_algo: 'sha1' })).toEqual([409, 'conflict'])
    expect(await ask([{ oid: 'ABC', size: 1 }])).toEqual([200, 422])
    expect(await ask(Array(501).fill(object))).toEqual([413, 'body_too_large'])
    expect(await ask([object], { transfers: ['ssh'] })).toEqual([400, 'bad_request'])
  })
})

describe.skipIf(!isGitThere)('git-xet', () => {
  test('gets a storage token for the branch, and where its next one is', async () => {
    await stage.newModel('xet')
    const large = largeOf('xet')
    const object = { oid: large.oid, size: large.bytes.length }
    const transfers = ['lfs-standalone-file', 'basic', 'ssh', 'xet']
    const { json } = await lfs.batch('xet', [object], { ...main, more: { transfers } })
    expect(json.transfer).toBe('xet')
    const { href, header } = json.objects[0].actions.upload
    expect(href).toBe(`${publicUrl}/api/models/acme/xet/xet-write-token/refs%2Fheads%2Fmain`)
    expect(Object.keys(header)).toEqual([
      'X-Xet-Cas-Url',
      'X-Xet-Access-Token',
      'X-Xet-Token-Expiration',
    ])
    expect(header['X-Xet-Token-Expiration']).toMatch(/^\d{10}$/)
    const refreshed = await stage.api(href.replace(publicUrl, ''))
    expect(refreshed.json.casUrl).toBe(header['X-Xet-Cas-Url'])
    const token = header['X-Xet-Access-Token']
    const caller = callerWith(stage.url, { token, casUrl: header['X-Xet-Cas-Url'] })
    await caller.upload(large.xorb)
    expect((await caller.register([large.file], [large.xorb])).status).toBe(200)
    expect((await commitOf('xet', object)).status).toBe(200)
    const again = await lfs.batch('xet', [object], { ...main, more: { transfers: ['xet'] } })
    expect(again.json.objects).toEqual([object])
  })

  test('uploads to a place of the account where it names no branch, or one that is not there', async () => {
    await stage.newModel('xet-own')
    const large = largeOf('xet-own')
    const object = { oid: large.oid, size: large.bytes.length }
    for (const wish of [{}, { ref: 'refs/heads/none' }]) {
      const more = { transfers: ['basic', 'xet'] }
      const { upload } = await lfs.actions('xet-own', object, { ...wish, more, as: 'reader' })
      const { href, header } = upload
      expect(href).toContain('/xet-write-token/None?create_pr=1')
      const refreshed = await stage.api(href.replace(publicUrl, ''), { as: 'reader' })
      expect(refreshed.json.casUrl).toBe(header['X-Xet-Cas-Url'])
    }
  })
})

describe.skipIf(!isGitThere)('git-lfs', () => {
  test('is told in its own form that files cannot be locked', async () => {
    await stage.newModel('locks')
    const at = `${stage.world.hub.url}/acme/locks.git/info/lfs/locks`
    for (const path of ['', '/verify', '/1/unlock']) {
      const { status, json, headers } = await lfs.ask(at + path, {}, 'writer')
      expect([status, headers.get('content-type'), json.message]).toEqual([
        501,
        'application/vnd.git-lfs+json',
        'Latchkey does not support locking of files.',
      ])
    }
  })
})
