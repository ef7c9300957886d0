/** A storage serves and deletes only from the objects of its catalogue, until an operator gives it others. */

import { cpSync, globSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { copyDatabase } from '@latchkey/service/backup'
import { expect, onTestFinished, test } from 'vitest'
import { storageCalls } from '../restore/storage-calls.ts'
import { end, ready, start } from '../run-latchkey.ts'
import { catalogueOf, heldAt, openSite, replaceCatalogue, type Site, siteAt } from './site.ts'

const objectsIn = ({ data }: Pick<Site, 'data'>) =>
  globSync('objects/[0-9a-f][0-9a-f]/*', { cwd: data }).sort()

/** The catalogue is put back as it was before a collection began. */
async function putBack(): Promise<Site> {
  const site = await openSite()
  const old = join(site.cwd, 'old.db')
  copyDatabase(catalogueOf(site), old)
  expect((await site.run('storage', 'gc', '--delete')).code).toBe(0)
  replaceCatalogue(site, old)
  return site
}

async function expectNothingDeleted(site: Site, reason: RegExp): Promise<void> {
  const before = objectsIn(site)
  expect(before.length).toBeGreaterThan(0)
  await site.run('repo', 'delete', 'models/acme/bert')
  const { code, stderr } = await site.run('storage', 'gc', '--delete')
  expect([code, stderr]).toEqual([3, expect.stringMatching(reason)])
  expect(stderr).toMatch(/Nothing was deleted\..*"latchkey storage adopt"/)
  expect(objectsIn(site)).toEqual(before)
}

test('an old catalogue serves nothing until it adopts the objects, and its log and probe say why', async () => {
  const site = await putBack()
  const child = start(['serve', '--port', '0', '--storage-port', '0'], { cwd: site.cwd })
  onTestFinished(() => end(child))
  const { url, output } = await ready(child)
  const held = await heldAt(url, site.token)
  const look = () =>
    fetch(`${held.casUrl}/v1/files/${'1'.repeat(64)}`, {
      headers: { authorization: `Bearer ${held.accessToken}` },
    })
  const refused = await look()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60'])
  expect(await refused.text()).toContain('its object store is not the one of its catalogue')
  // Tokens are issued all the same.
  expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ storage: 'down' })

  const { stdout: findings } = await site.run('doctor', '--port', new URL(url).port)
  expect(findings).toMatch(/object store +This catalogue is an old copy/)
  const found = await site.json('storage', 'adopt')
  expect(found).toMatchObject({
    ...{ adopted: false, owner: 'this catalogue', mismatch: expect.stringMatching(/old copy/) },
    objects: { named: 2, checked: 2, missing: 0 },
  })
  expect((await look()).status).toBe(503)
  expect(await site.run('storage', 'adopt', '--yes')).toMatchObject({ code: 0 })
  expect(await site.json('storage', 'adopt')).toMatchObject({ adopted: false })
  // It looks every few seconds while something is wrong.
  await expect.poll(async () => (await look()).status, { interval: 500, timeout: 60_000 }).toBe(404)
  expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ storage: 'ready' })
  const events = output()
    .stdout.split('\n')
    .filter((line) => line.includes('store_mismatch'))
  const told = events.map((line) => JSON.parse(line)).filter((e) => e.event === 'store_mismatch')
  expect(told).toMatchObject([
    {
      level: 'error',
      reason: expect.stringMatching(/old copy/),
      advice: expect.stringMatching(/"latchkey storage adopt"/),
    },
  ])
  const log = readFileSync(join(site.data, 'commands.log'), 'utf8')
  expect(log).toMatch(/"verb":"storage adopt"/)
  expect((await site.run('storage', 'gc', '--delete')).code).toBe(0)
})

test('an old catalogue deletes no object, whatever the hub has removed since', async () => {
  const site = await putBack()
  await expectNothingDeleted(site, /^latchkey: This catalogue is an old copy/)
})

test('storage delete needs the objects of the catalogue, too', async () => {
  const site = await putBack()
  const args = ['storage', 'delete', 'models/acme/bert', '0'.repeat(64), '--yes']
  const { code, stderr } = await site.run(...args)
  expect([code, stderr]).toEqual([3, expect.stringMatching(/old copy.*Nothing was deleted/)])
})

test('objects of another catalogue, or none, are not served and not deleted', async () => {
  const [site, other] = [await openSite(), await openSite()]
  renameSync(join(site.data, 'objects'), join(site.cwd, 'own'))
  const empty = await site.run('storage', 'adopt', '--yes')
  expect([empty.code, empty.stderr]).toEqual([
    1,
    expect.stringMatching(/^latchkey: 2 of 2 objects .* Nothing was changed\..*--even-missing/),
  ])
  cpSync(join(other.data, 'objects'), join(site.data, 'objects'), { recursive: true })
  expect(await site.json('storage', 'adopt')).toMatchObject({
    ...{ owner: 'another catalogue', objects: { missing: 2 } },
    mismatch: expect.stringMatching(/^The object store belongs to another catalogue/),
  })
  await site.serving(async ({ storageUrl, held, isReady }) => {
    const { look, put } = storageCalls(storageUrl)
    expect([await look(held, 'content'), await put(held, 'more')]).toEqual([503, 503])
    expect(await isReady()).toBe(false)
  })
  await expectNothingDeleted(site, /^latchkey: The object store belongs to another catalogue/)
  expect((await site.run('storage', 'adopt', '--yes', '--even-missing')).code).toBe(0)
  expect((await site.run('storage', 'gc', '--delete')).code).toBe(0)
})

test('a copy of the whole data directory has objects of its own, and both go on', async () => {
  const site = await openSite()
  const copy = siteAt(join(site.cwd, 'copy'), site.token)
  cpSync(site.data, copy.data, { recursive: true })
  for (const one of [site, copy, site]) {
    expect((await one.run('storage', 'gc', '--delete')).code).toBe(0)
    await one.serving(async ({ storageUrl, held }) => {
      expect(await storageCalls(storageUrl).look(held, 'content')).toBe(200)
    })
  }
})

test('a restore adopts the objects that it brings; the catalogue of a backup alone adopts none', async () => {
  const site = await openSite()
  expect((await site.run('backup', 'monday')).code).toBe(0)
  const restored = siteAt(join(site.cwd, 'elsewhere'), site.token)
  const { code } = await site.run('restore', 'monday', '--data', restored.data)
  expect(code).toBe(0)
  renameSync(join(site.data, 'master.key'), join(restored.data, 'master.key'))
  await restored.serving(async ({ storageUrl, held }) => {
    expect(await storageCalls(storageUrl).look(held, 'content')).toBe(200)
  })
  expect(await site.json('storage', 'adopt')).toMatchObject({ owner: 'this catalogue' })
  replaceCatalogue(site, join(site.cwd, 'monday', 'storage.db'))
  await expectNothingDeleted(site, /^latchkey: This catalogue was restored from a backup/)
})
