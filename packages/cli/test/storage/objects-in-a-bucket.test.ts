/** Commands on the content of a bucket that somebody has changed, emptied or removed behind the back of the storage. */

import {
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type LocalS3Store, type S3PlaceOfTest, sharedVersitygw } from '@latchkey/testing/s3/stores'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { catalogueOf, openSite, type Site } from '../identity/site.ts'
import { contentOf, storageCalls } from '../restore/storage-calls.ts'

const bert = 'models/acme/bert'
const isMissing = isVersitygwMissing('commands on the content of a bucket are not tested')

describe.skipIf(isMissing)('content in a bucket', () => {
  let store: LocalS3Store
  let place: S3PlaceOfTest
  let site: Site
  beforeAll(async () => {
    store = await sharedVersitygw()
  })
  beforeEach(async () => {
    place = store.newPlace()
    const { bucket, credentials } = place
    site = await openSite({
      LATCHKEY_OBJECTS: `s3://${bucket}/a/hub`,
      LATCHKEY_OBJECTS_ENDPOINT: store.endpoint,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    })
  })
  afterAll(() => store?.kill())

  const put = (words: readonly string[]) =>
    site.serving(async ({ storageUrl, held }) => {
      const { put } = storageCalls(storageUrl)
      for (const word of words) expect(await put(held, word)).toBe(200)
    })
  const fileOf = (kind: 'objects' | 'tables', key: string) =>
    store.fileOf(place, `${kind}/${key.slice(0, 2)}/${key}`)
  const inBucket = () => globSync('{objects,tables}/*/*', { cwd: store.fileOf(place, '') }).sort()

  function rows<Row>(statement: string): readonly Row[] {
    const catalogue = new DatabaseSync(catalogueOf(site), { timeout: 60_000 })
    const found = catalogue.prepare(statement).all()
    catalogue.close()
    return found as unknown as readonly Row[]
  }
  const keyOf = (word: string) => {
    const named = 'SELECT key FROM stored_objects NATURAL JOIN stored_xorbs'
    const [row] = rows<{ key: string }>(`${named} WHERE hash = '${contentOf(word).xorb.hash}'`)
    return row?.key ?? ''
  }

  interface Verified {
    readonly code: number | null
    readonly objects: number
    readonly bad: Readonly<Record<string, unknown>>
  }
  const words = ['spoiled', 'short', 'gone', 'no table']
  const verify = async (...args: string[]): Promise<Verified> => {
    const { code, stdout } = await site.run('storage', 'verify', '--json', ...args)
    const { objects, badXorbs } = JSON.parse(stdout)
    const bad: Record<string, unknown> = {}
    for (const { xorb, problem, object, files } of badXorbs) {
      const word = words.find((word) => contentOf(word).xorb.hash === xorb) ?? xorb
      bad[word] = { problem, object, files }
    }
    return { code, objects, bad }
  }

  // conformance: Embedded storage / storage verify finds missing or damaged content and changes nothing
  test('that was spoiled, cut or lost is named by verify, and mended by an upload or after a deletion', async () => {
    await put(words)
    const keys = Object.fromEntries(words.map((word) => [word, keyOf(word)]))
    const spoiled = fileOf('objects', keys['spoiled'] ?? '')
    const bytes = readFileSync(spoiled)
    bytes[700] = (bytes[700] ?? 0) ^ 1
    writeFileSync(spoiled, bytes)
    truncateSync(fileOf('objects', keys['short'] ?? ''), bytes.length - 1)
    rmSync(fileOf('objects', keys['gone'] ?? ''))
    rmSync(fileOf('tables', keys['no table'] ?? ''))

    const bad = (word: string, problem: string) => {
      const key = keys[word] ?? ''
      const object = `s3://${place.bucket}/a/hub/objects/${key.slice(0, 2)}/${key}`
      return { [word]: { problem, object, files: [contentOf(word).file.hash] } }
    }
    const lost = {
      ...bad('short', 'damaged'),
      ...bad('gone', 'missing'),
      ...bad('no table', 'missing'),
    }
    expect(await verify()).toEqual({ code: 1, objects: 6, bad: lost })
    const all = { ...lost, ...bad('spoiled', 'damaged') }
    expect(await verify('--content')).toEqual({ code: 1, objects: 6, bad: all })

    // An upload looks at the lengths alone.
    await put(words)
    expect(await verify()).toEqual({ code: 0, objects: 6, bad: {} })
    const left = { code: 1, objects: 6, bad: bad('spoiled', 'damaged') }
    expect(await verify('--content')).toEqual(left)
    const { hash } = contentOf('spoiled').xorb
    expect(await site.run('storage', 'delete', bert, hash, '--yes')).toMatchObject({
      ...{ code: 0, stderr: expect.stringContaining('after 7 days; --now deletes them at once') },
    })
    await put(['spoiled'])
    expect(await verify('--content')).toEqual({ code: 0, objects: 6, bad: {} })
  })

  test('is deleted from the bucket at once with --now, and is kept for some days without', async () => {
    await put(['short', 'gone'])
    const names = (word: string) => {
      const key = keyOf(word)
      return ['objects', 'tables'].map((kind) => `${kind}/${key.slice(0, 2)}/${key}`)
    }
    const [kept, deleted] = [names('short'), names('gone')]
    for (const more of [[], ['--now']]) {
      const word = more.length === 0 ? 'short' : 'gone'
      const args = ['storage', 'delete', bert, contentOf(word).file.hash, '--yes', ...more]
      expect((await site.run(...args)).code).toBe(0)
    }
    const found = inBucket()
    expect(found).toEqual(expect.arrayContaining(kept))
    expect(found.filter((name) => deleted.includes(name))).toEqual([])
    expect(await verify('--content')).toEqual({ code: 0, objects: 2, bad: {} })
  })

  test('that no row knows is deleted by gc --delete --unknown alone, once it is old', async () => {
    const known = inBucket()
    const stranger = (kind: string, digit: string, hours: number) => {
      const key = digit.repeat(32)
      const name = `${kind}/${key.slice(0, 2)}/${key}`
      const file = store.fileOf(place, name)
      const at = Date.now() / 1000 - hours * 3600
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, 'unknown', { flag: 'wx' })
      utimesSync(file, at, at)
      return name
    }
    const old = [stranger('objects', 'a', 48), stranger('tables', 'b', 48)]
    const young = stranger('objects', 'c', 1)
    const gc = async (...args: string[]) => site.json('storage', 'gc', ...args)
    const unknown = { count: 2, bytes: 14 }
    expect(await gc('--unknown')).toMatchObject({ deleted: false, unknown })
    expect(await gc('--delete')).not.toHaveProperty('unknown')
    expect(inBucket()).toEqual([...known, ...old, young].sort())
    expect(await gc('--delete', '--unknown')).toMatchObject({ deleted: true, unknown })
    expect(inBucket()).toEqual([...known, young].sort())
    expect(await verify('--content')).toEqual({ code: 0, objects: 2, bad: {} })
  })

  test('is not lost while the bucket is gone: nothing is served, reported as missing, or unmapped', async () => {
    const bucket = dirname(dirname(dirname(store.fileOf(place, 'a'))))
    const named = () =>
      rows('SELECT key, digest FROM stored_objects WHERE digest IS NOT NULL ORDER BY key')
    const before = named()
    // Old enough for gc.
    rows('UPDATE stored_xorbs SET written_at = 1, renewed_at = 1')
    await site.serving(async ({ storageUrl, held, isReady }) => {
      const { putXorb } = storageCalls(storageUrl)
      const path = `${new URL(held.casUrl).pathname}/v1/xorbs/default/${contentOf('content').xorb.hash}`
      const headers = { authorization: `Bearer ${held.accessToken}` }
      const read = async () => {
        const response = await fetch(storageUrl + path, { headers })
        await response.arrayBuffer()
        return response.status
      }
      expect(await read()).toBe(200)
      renameSync(bucket, `${bucket}-away`)
      await expect.poll(isReady).toBe(false)
      expect([await read(), await putXorb(held, 'content'), await putXorb(held, 'new')]).toEqual([
        ...[503, 503, 503],
      ])
      for (const args of [['verify'], ['verify', '--content'], ['gc', '--delete', '--unknown']]) {
        const { code, stdout, stderr } = await site.run('storage', ...args)
        expect([args, code, stdout]).toEqual([args, 3, ''])
        const line = /^latchkey: cannot .*: there is no such bucket; create it, or name another$/m
        expect(stderr).toMatch(line)
      }
      expect(named()).toEqual(before)
      renameSync(`${bucket}-away`, bucket)
      await expect.poll(isReady).toBe(true)
      expect(await read()).toBe(200)
    })
    expect(await verify('--content')).toEqual({ code: 0, objects: 2, bad: {} })
  })
})
