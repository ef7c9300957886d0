/** A backup beside a collection: everything that its catalogue names is in it, or the backup says that it is not. */

import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openStore } from '@latchkey/hub/management'
import { dump } from '@latchkey/testing/hub/dump'
import { expect, it, onTestFinished } from 'vitest'
import { readManifest } from '../src/backup/manifest.ts'
import { type BackupWatch, takeBackup } from '../src/backup/take-backup.ts'
import { temporaryDirectory } from './run-latchkey.ts'

const digests = ['a', 'b', 'c', 'd', 'e', 'f'].map((digit) => digit.repeat(64))

const keyOf = (digest: string) => digest.slice(0, 32)

function placeIn(folder: string, digest = ''): string {
  return join(folder, 'objects', digest.slice(0, 2), keyOf(digest))
}

/** A data directory with one object for each digest. */
async function dataWith(named: readonly string[]): Promise<{ data: string; folder: string }> {
  const cwd = temporaryDirectory()
  const [data, folder] = [join(cwd, 'data'), join(cwd, 'backup')]
  for (const made of [data, folder]) mkdirSync(made, { mode: 0o700 })
  await (await openStore({ data, database: 'sqlite:latchkey.db' }, { create: true })).close()
  const catalogue = new DatabaseSync(join(data, 'storage.db'))
  catalogue.exec('CREATE TABLE stored_xorbs (digest TEXT NOT NULL)')
  catalogue.exec('CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)')
  catalogue.exec('CREATE TABLE stored_objects (key TEXT, digest TEXT, unmapped_at INTEGER)')
  for (const digest of named) {
    catalogue.prepare('INSERT INTO stored_xorbs VALUES (?)').run(digest)
    const named = 'INSERT INTO stored_objects VALUES (?, ?, NULL)'
    catalogue.prepare(named).run(keyOf(digest), digest)
    mkdirSync(join(placeIn(data, digest), '..'), { recursive: true })
    writeFileSync(placeIn(data, digest), digest)
  }
  catalogue.close()
  return { data, folder }
}

/** As `storage gc` does it: the row first. */
function collect(data: string, digest = ''): void {
  const catalogue = new DatabaseSync(join(data, 'storage.db'))
  catalogue.prepare('DELETE FROM stored_xorbs WHERE digest = ?').run(digest)
  catalogue.close()
  rmSync(placeIn(data, digest), { force: true })
}

async function take(
  { data, folder }: { readonly data: string; readonly folder: string },
  onProgress: BackupWatch['onProgress'] = () => {},
) {
  const store = await openStore({ data, database: 'sqlite:latchkey.db' }, { create: false })
  onTestFinished(() => store.close())
  const repeats: number[] = []
  const watch = { onProgress, onRepeat: (missing: number) => void repeats.push(missing) }
  const taking = {
    store,
    data,
    takenAt: '2026-01-01T00:00:00Z',
    latchkey: '0',
    bucket: null,
    watch,
  }
  return { made: await takeBackup(folder, taking), repeats }
}

it('an object that is collected while the backup runs is neither in it nor named by it', async () => {
  const place = await dataWith(digests.slice(0, 3))
  const { made, repeats } = await take(place, (count) => {
    if (count === 1) collect(place.data, digests[2])
  })
  expect(repeats).toEqual([1])
  expect(made).toMatchObject({ objects: { count: 2, bytes: 128 }, missing: 0 })
  expect(dump(join(place.folder, 'storage.db'))['stored_xorbs']).toHaveLength(2)
  expect(readManifest(place.folder)).toEqual(made)
})

it('an object that is collected after it was carried stays in the backup', async () => {
  const place = await dataWith(digests.slice(0, 3))
  const { made, repeats } = await take(place, (count) => {
    if (count === 2) collect(place.data, digests[0])
  })
  expect({ ...made.objects, repeats }).toEqual({ count: 3, bytes: 192, repeats: [] })
  expect(existsSync(placeIn(place.folder, digests[0]))).toBe(true)
})

it('objects are linked where they can be, and none is named twice', async () => {
  const place = await dataWith(digests.slice(0, 1))
  await take(place)
  const [one, other] = [place.data, place.folder].map((at) => statSync(placeIn(at, digests[0])).ino)
  expect(one).toBe(other)
})

it('an object that the storage itself lacks is counted, and the rest is there', async () => {
  const place = await dataWith(digests.slice(0, 2))
  rmSync(placeIn(place.data, digests[0]))
  const { made, repeats } = await take(place)
  expect(repeats).toEqual([1])
  expect(made).toMatchObject({ objects: { count: 1 }, missing: 1 })
})
