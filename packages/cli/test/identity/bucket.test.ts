/** Catalogues that were copied or restored meet a bucket, and take nothing from the one whose objects are there. */

import { cpSync, globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Databases } from '@latchkey/testing/postgres/cluster'
import { dumpSchema } from '@latchkey/testing/postgres/dump-schema'
import { sharedCluster } from '@latchkey/testing/postgres/own-database'
import { runPsql } from '@latchkey/testing/postgres/run-psql'
import { startFaultProxy } from '@latchkey/testing/s3/fault-proxy'
import { type LocalS3Store, type S3PlaceOfTest, sharedVersitygw } from '@latchkey/testing/s3/stores'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { storageCalls } from '../restore/storage-calls.ts'
import { latchkey } from '../run-latchkey.ts'
import { catalogueOf, openSite, type Site, siteAt } from './site.ts'

const lookAt = (site: Site) =>
  site.serving(({ storageUrl, held }) => storageCalls(storageUrl).look(held, 'content'))

const isMissing = isVersitygwMissing('no bucket is kept from the copy of a catalogue')

describe.skipIf(isMissing)('a bucket', () => {
  let store: LocalS3Store
  let place: S3PlaceOfTest
  beforeAll(async () => {
    store = await sharedVersitygw()
  })
  beforeEach(() => {
    place = store.newPlace()
  })
  afterAll(() => store?.kill())

  const environmentOf = ({ bucket, prefix, credentials }: S3PlaceOfTest, name = '') => ({
    LATCHKEY_OBJECTS: `s3://${bucket}/${prefix}${name}`,
    LATCHKEY_OBJECTS_ENDPOINT: store.endpoint,
    LATCHKEY_ALLOW_PLAIN_HTTP: 'true',
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  })
  const filesBelow = (name: string) =>
    globSync('{objects,tables}/*/*', { cwd: store.fileOf(place, name) }).sort()

  /** The copy has no objects of its own. */
  const cloneOf = (site: Site, env: Record<string, string>): Site => {
    const clone = siteAt(join(site.cwd, 'clone'), site.token, env)
    cpSync(site.data, clone.data, { recursive: true })
    rmSync(join(clone.data, 'objects'), { recursive: true, force: true })
    return clone
  }

  const expectRefused = async (site: Site, name: string, reason: RegExp) => {
    const before = filesBelow(name)
    expect(before.length).toBeGreaterThan(0)
    await site.run('repo', 'delete', 'models/acme/bert')
    const { code, stderr } = await site.run('storage', 'gc', '--delete')
    expect([code, stderr]).toEqual([3, expect.stringMatching(reason)])
    expect(filesBelow(name)).toEqual(before)
  }

  test('keeps its objects from an old copy of the catalogue in a file, until that adopts them', async () => {
    const env = environmentOf(place, 'file')
    const site = await openSite(env)
    const clone = cloneOf(site, env)
    const later = siteAt(join(site.cwd, 'later'), site.token, env)
    cpSync(site.data, later.data, { recursive: true })
    // Within the minute of the copy: the original goes first.
    expect((await site.run('storage', 'gc', '--delete')).code).toBe(0)
    expect(await lookAt(clone)).toBe(503)
    await expectRefused(clone, 'file', /^latchkey: This catalogue is an old copy/)
    expect(await lookAt(site)).toBe(200)
    expect(await later.json('storage', 'adopt', '--yes')).toMatchObject({ adopted: true })
    expect(await lookAt(later)).toBe(200)
    expect(await lookAt(site)).toBe(503)
    await expectRefused(site, 'file', /^latchkey: Another copy of this catalogue adopted/)
  })

  test('keeps the rest of its objects from a collection during which a copy of the catalogue adopts it', async () => {
    const proxy = await startFaultProxy(store.port)
    onTestFinished(() => proxy.close())
    const env = environmentOf(place, 'late')
    const site = await openSite(env)
    const clone = cloneOf(site, env)
    const before = filesBelow('late')
    // No bytes are needed: one request removes five hundred objects.
    const catalogue = new DatabaseSync(catalogueOf(site), { timeout: 60_000 })
    catalogue.exec(`INSERT INTO stored_objects (key, bytes, reserved_at, unmapped_at)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
      SELECT printf('%032x', i), 1, 1, 1 FROM n`)
    const unmapped = catalogue.prepare(
      'SELECT count(*) AS n FROM stored_objects WHERE unmapped_at = 1',
    )
    const adopted = Promise.withResolvers<void>()
    proxy.decide(({ kind }) => (kind === 'post' ? { after: adopted.promise } : undefined))
    const removals = () => proxy.requests.filter(({ kind }) => kind === 'post')
    const collecting = latchkey(['storage', 'gc', '--delete'], {
      ...{ cwd: site.cwd, env: { ...env, LATCHKEY_OBJECTS_ENDPOINT: proxy.endpoint } },
    })
    await expect.poll(() => removals().length).toBe(1)
    // The mark of the collection is newer than that of the copy.
    cpSync(site.data, clone.data, { recursive: true })
    expect(await clone.json('storage', 'adopt', '--yes')).toMatchObject({ adopted: true })
    adopted.resolve()
    const { code, stderr } = await collecting
    expect([code, stderr]).toEqual([
      ...[3, expect.stringMatching(/^latchkey: Another copy .* The rest was not deleted\. Check/)],
    ])
    expect(removals()).toHaveLength(1)
    expect(unmapped.get()).toEqual({ n: 600 })
    catalogue.close()
    expect(filesBelow('late')).toEqual(before)
    expect(await lookAt(clone)).toBe(200)
  })

  test('that is empty, or belongs to another catalogue, is not used', async () => {
    const env = environmentOf(place, 'one')
    const site = await openSite(env)
    await openSite(environmentOf(place, 'other'))
    const moved = siteAt(site.cwd, site.token, environmentOf(place, 'empty'))
    expect(await lookAt(moved)).toBe(503)
    const emptied = await moved.run('storage', 'gc', '--delete')
    expect([emptied.code, emptied.stderr]).toEqual([3, expect.stringMatching(/store is empty/)])
    expect(await lookAt(siteAt(site.cwd, site.token, environmentOf(place, 'other')))).toBe(503)
    const mixed = siteAt(site.cwd, site.token, environmentOf(place, 'other'))
    await expectRefused(mixed, 'other', /belongs to another catalogue/)
  })

  test('stays where it is in a backup, whose catalogue adopts it after the restore', async () => {
    const env = environmentOf(place, 'backup')
    const site = await openSite(env)
    const { code, stderr } = await site.run('backup', 'monday')
    expect(code).toBe(0)
    expect(stderr).toMatch(/the catalogue without its objects/)
    expect(stderr).toMatch(/they are in s3:\/\/\S+backup\/\. Replicate that bucket/)
    expect(globSync('monday/objects/*', { cwd: site.cwd })).toEqual([])
    const [lost = ''] = filesBelow('backup').filter((name) => name.startsWith('objects'))
    rmSync(join(store.fileOf(place, 'backup'), lost))
    const restored = siteAt(join(site.cwd, 'new'), site.token, env)
    const told = await site.run('restore', 'monday', '--data', restored.data)
    expect([told.code, told.stderr]).toEqual([
      0,
      expect.stringMatching(/Missing in the bucket: 1 of the 2 objects checked\./),
    ])
    expect(told.stderr).toContain('"latchkey storage adopt --yes"')
    cpSync(join(site.data, 'master.key'), join(restored.data, 'master.key'))
    expect(await lookAt(restored)).toBe(503)
    const found = await restored.json('storage', 'adopt', '--yes', '--all-objects')
    expect(found).toMatchObject({
      ...{ owner: 'this catalogue', mismatch: expect.stringMatching(/restored from a backup/) },
      objects: { named: 2, checked: 2, missing: 1 },
    })
    expect(await lookAt(restored)).toBeLessThan(500)
    expect(await restored.run('storage', 'verify')).toMatchObject({ code: 1 })
    expect(await lookAt(site)).toBe(503)
  })
})

const isOneMissing = isMissing || isPostgresMissing('no copy of a database meets a bucket')

describe.skipIf(isOneMissing)('a bucket whose catalogue is in PostgreSQL', () => {
  let store: LocalS3Store
  let cluster: Databases
  beforeAll(async () => {
    store = await sharedVersitygw()
    cluster = await sharedCluster()
  })
  afterAll(() => store?.kill())

  const openInDatabase = async () => {
    const place = store.newPlace()
    const name = await cluster.createDatabase()
    const copy = `${name}_copy`
    onTestFinished(async () => {
      for (const database of [name, copy]) await cluster.dropDatabase(database)
    })
    const inDatabase = (database: string) => ({
      LATCHKEY_OBJECTS: `s3://${place.bucket}/a`,
      LATCHKEY_OBJECTS_ENDPOINT: store.endpoint,
      LATCHKEY_ALLOW_PLAIN_HTTP: 'true',
      LATCHKEY_STORAGE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      AWS_ACCESS_KEY_ID: place.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: place.credentials.secretAccessKey,
      LATCHKEY_STORAGE_DATABASE: cluster.url(database),
    })
    const site = await openSite(inDatabase(name))
    // PostgreSQL copies and renames only databases without connections.
    await cluster.sql(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
    )
    const files = () =>
      globSync('{objects,tables}/*/*', { cwd: store.fileOf({ ...place, prefix: '' }, 'a') }).sort()
    return { name, copy, site, files, copySite: siteAt(site.cwd, site.token, inDatabase(copy)) }
  }

  test('keeps its objects from a copy of the database, even at once', async () => {
    const { name, copy, site, copySite: clone } = await openInDatabase()
    await cluster.sql(`create database ${copy} template ${name}`)
    const { code, stderr } = await clone.run('storage', 'gc', '--delete')
    expect([code, stderr]).toEqual([3, expect.stringMatching(/copy of one in another database/)])
    expect((await site.run('storage', 'gc', '--delete')).code).toBe(0)
    expect((await clone.run('storage', 'adopt', '--yes')).code).toBe(0)
    expect((await clone.run('storage', 'gc', '--delete')).code).toBe(0)
    const { stderr: late } = await site.run('storage', 'gc', '--delete')
    expect(late).toMatch(/Another copy of this catalogue adopted the object store/)
  })

  test('keeps its objects from a dump that is restored under the same name, until that adopts them', async () => {
    const { name, copy, site: restored, copySite: original, files } = await openInDatabase()
    const dump = await dumpSchema(cluster, { database: name, schema: 'latchkey_storage' })
    await cluster.sql(`alter database ${name} rename to ${copy}`)
    await cluster.sql(`create database ${name}`)
    await runPsql(cluster.url(name), dump)
    const before = files()
    expect(before.length).toBeGreaterThan(0)
    const { code, stderr } = await restored.run('storage', 'gc', '--delete')
    expect([code, stderr]).toEqual([3, expect.stringMatching(/copy of one in another database/)])
    expect([await lookAt(restored), await lookAt(original)]).toEqual([503, 200])
    expect(await restored.json('storage', 'adopt', '--yes')).toMatchObject({ adopted: true })
    expect([await lookAt(restored), await lookAt(original)]).toEqual([200, 503])
    expect(files()).toEqual(before)
  })
})
