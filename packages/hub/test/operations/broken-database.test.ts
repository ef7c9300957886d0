/** A database that breaks under a running hub: requests fail, the hub does not. */

import { statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { askHub } from '@latchkey/testing/hub/ask-hub'
import { type Prepared, placesIn, prepareData } from '@latchkey/testing/hub/prepared-data'
import { type Serving, serve } from '@latchkey/testing/machine/command'
import { copyOfData, sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'

let prepared: Prepared
const shared = sharedFolder()
beforeAll(async () => {
  prepared = await prepareData(shared)
})

const damages: Readonly<Record<string, (database: string) => void>> = {
  'is cut off': (database) => truncateSync(database, 4096),
  'is emptied': (database) => truncateSync(database, 0),
  'is overwritten': (database) =>
    writeFileSync(database, Buffer.alloc(statSync(database).size, 0xab), { flag: 'r+' }),
}

describe('a running hub whose database file', () => {
  for (const [damage, inflict] of Object.entries(damages).slice(0, rounds(1, 3))) {
    test(`${damage} answers 500, says why in its log, and stops when it is told to`, async () => {
      const { hub, database } = await servingCopy()
      inflict(database)
      const statuses = await Promise.all(['main', 'dev', 'v1.0'].map((ref) => ask(hub, ref)))
      expect(new Set(statuses)).toEqual(new Set([500]))
      expect(await live(hub)).toBe(200)

      const { code, stdout, stderr } = await hub.end('SIGTERM')
      expect(stdout).toContain('"event":"request_failed"')
      expect(stdout).toContain('"event":"hub_stopped"')
      expect(stderr).not.toMatch(/^\s+at /m)
      expect(code).toBe(0)
    })

    test(`${damage} after it was in use goes on, and stops when it is told to`, async () => {
      const { hub, database } = await servingCopy()
      expect(await write(hub)).toBe(201)
      expect(await ask(hub, 'main')).toBe(200)
      inflict(database)
      // What is in memory already may be served; what must be read cannot.
      for (const ref of ['dev', 'v1.0', 'release/1', 'nowhere', 'main']) {
        expect([200, 403, 404, 500]).toContain(await ask(hub, ref))
      }
      expect(await live(hub)).toBe(200)
      expect((await hub.end('SIGTERM')).code).toBe(0)
    })
  }
})

async function servingCopy(): Promise<{ hub: Serving; database: string }> {
  const folder = temporaryFolder()
  const { data, database } = placesIn(copyOfData(prepared.data, join(folder, 'data')))
  const hub = await serve(['--no-storage', '--data', data], { cwd: folder })
  onTestFinished(async () => {
    await hub.end('SIGKILL')
  })
  return { hub, database }
}

async function ask({ url }: Serving, ref: string): Promise<number> {
  const token = prepared.tokens['writer/write'] ?? ''
  return (await askHub(url, `write models/acme/bert@${ref}`, { token })).status
}

async function write({ url }: Serving): Promise<number> {
  const { status } = await askHub(url, '/admin/v1/accounts', {
    method: 'POST',
    token: prepared.tokens['maintainer/admin'] ?? '',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"late"}',
  })
  return status
}

async function live({ url }: Serving): Promise<number> {
  return (await askHub(url, '/healthz')).status
}
