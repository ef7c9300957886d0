/** A storage is ready while its catalogue and its objects can be used, and otherwise says why not. */

import { execFileSync } from 'node:child_process'
import { existsSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { mountSmallDisk } from '@latchkey/testing/machine/small-disk'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { catalogFile } from '../../src/catalog/catalog-database.ts'
import { objectsIn } from '../../src/index.ts'
import { faultFinder } from '../../src/operations/find-fault.ts'
import { openStage, type Stage } from '../stage.ts'

let stage: Stage
let data: string
beforeEach(async () => {
  stage = await openStage({ settings: { operations: { port: undefined, host: '127.0.0.1' } } })
  data = stage.world.settings.data
})
afterEach(() => stage.close())

const readyz = async () => {
  const answer = await fetch(`${stage.url}/readyz`)
  return {
    status: answer.status,
    text: await answer.text(),
    isReady: await stage.storage.isReady(),
  }
}
const ready = { status: 200, isReady: true }
const notReady = (reason: string) => ({
  ...{ status: 503, isReady: false, text: expect.stringContaining(reason) },
})

test('the folder of the objects is moved away and comes back', async () => {
  expect(await readyz()).toMatchObject(ready)
  const folder = objectsIn(data).folder
  renameSync(folder, `${folder}-elsewhere`)
  const away = await readyz()
  expect(away).toMatchObject(notReady('its objects: ENOENT'))
  expect(away.text).not.toContain(data)
  renameSync(`${folder}-elsewhere`, folder)
  expect(await readyz()).toMatchObject(ready)
})

test('the folder of the objects can only be read', async ({ skip }) => {
  const disk = mountSmallDisk(1)
  if (disk === undefined) return skip('this user may not mount a disk')
  onTestFinished(() => disk.remove())
  execFileSync('mount', ['-o', 'remount,ro', disk.folder])
  const folder = objectsIn(data).folder
  rmSync(folder, { recursive: true })
  symlinkSync(disk.folder, folder)
  expect(await readyz()).toMatchObject(notReady('its objects: EROFS'))
  execFileSync('mount', ['-o', 'remount,rw', disk.folder])
  expect(await readyz()).toMatchObject(ready)
})

test('the file of the catalogue is moved away and comes back', async ({ skip }) => {
  const file = catalogFile(data)
  if (!existsSync(file)) return skip('the catalogue of this run is in PostgreSQL')
  renameSync(file, `${file}-elsewhere`)
  expect(await readyz()).toMatchObject(notReady('The file of the catalogue is unavailable: ENOENT'))
  renameSync(`${file}-elsewhere`, file)
  expect(await readyz()).toMatchObject(ready)
})

test('the database of the catalogue fails', async () => {
  const fails = () => Promise.reject(new Error('it is locked'))
  const database = { read: fails, close: async () => {} }
  const objects = { probe: async () => {} }
  const content = { database, file: undefined, objects, mismatch: () => undefined }
  expect(await faultFinder(content)()).toBe('The catalogue is unavailable: it is locked.')
})

test('the objects are those of another catalogue', async () => {
  const database = { read: async <Result>() => undefined as Result, close: async () => {} }
  const content = { database, file: undefined, objects: { probe: async () => {} } }
  const mismatch = () => 'The object store belongs to another catalogue.'
  expect(await faultFinder({ ...content, mismatch })()).toBe(mismatch())
})
