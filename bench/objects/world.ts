/** An object store, a hub, and storages on one bucket, all up at once. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHub } from '@latchkey/hub'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { writeDirectory } from '@latchkey/testing/hub/write-directory'
import { type Cluster, startCluster } from '@latchkey/testing/postgres/cluster'
import { type LocalS3Store, type S3PlaceOfTest, startVersitygw } from '@latchkey/testing/s3/stores'
import { pin } from '../machine.ts'
import { startProcess } from '../measure/start-process.ts'
import type { Side } from '../storage/sides.ts'
import type { BucketOrder } from './bucket-storage.ts'

export interface ObjectsWorld {
  readonly store: LocalS3Store
  readonly place: S3PlaceOfTest
  storage(name: string, options?: StorageOptions): Promise<Side>
  /** Another address of the store, which answers after so many milliseconds. */
  slowStore(delayMs: number): Promise<string>
  /** Another address of the store, behind a link of so many megabytes per second. */
  linkedStore(megabytesPerSecond: number): Promise<string>
  /** A catalogue that several storages may have. */
  newCatalogue(): Promise<string>
  close(): Promise<void>
}

interface StorageOptions {
  readonly endpoint?: string
  readonly directDownloads?: boolean
  readonly databaseUrl?: string
}

/** Nothing listens here: the load goes to each storage itself. */
export const casOrigin = 'http://127.0.0.1:8081'
const casUrl = `${casOrigin}/r/{repo}/{ref}`

export async function startWorld(): Promise<ObjectsWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-objects-'))
  const store = await startVersitygw()
  const place = store.newPlace()
  const publicUrl = 'http://127.0.0.1:8080'
  const token = { lifetimeSeconds: 3600 }
  const hubSettings = testSettings(join(folder, 'hub'), { publicUrl, casUrl, token })
  mkdirSync(hubSettings.data, { mode: 0o700 })
  const hubToken = await makeDirectory(hubSettings)
  const lines = { write() {}, async close() {} }
  const hub = await startHub(hubSettings, { lines })
  const access = await writeAccess(hub.url, hubToken)
  const ends: (() => void)[] = []
  let cluster: Promise<Cluster> | undefined
  const start = async (file: string, { words = [] as string[], order = {} }) => {
    const url = new URL(file, import.meta.url)
    const started = await startProcess<{ readonly url: string }>(url, { words, order })
    ends.push(() => started.child.disconnect())
    return started
  }
  /** Starts what stands before the store. */
  const before = async (file: string, amount: number) => {
    const words = [store.port, amount].map(String)
    const { ready, pid } = await start(file, { words })
    pin(pid, '0,1')
    return ready.url
  }
  let count = 0
  return {
    store,
    place,
    async storage(name, { endpoint = place.endpoint, directDownloads = false, databaseUrl } = {}) {
      count += 1
      const data = join(folder, `storage-${count}`)
      mkdirSync(data, { mode: 0o700 })
      // Each catalogue has content of its own.
      const prefix =
        databaseUrl === undefined
          ? `${place.prefix}${count}/`
          : `${place.prefix}${databaseUrl.split('/').at(-1)}/`
      const objects = { ...place, endpoint, prefix, scratch: join(data, 'scratch') }
      const order: BucketOrder = {
        ...{ data, casUrl, issuer: publicUrl, directDownloads, databaseUrl, hubUrl: hub.url },
        objects: { ...objects, ...(directDownloads && { publicEndpoint: endpoint }) },
        credential: hub.embedded.credential.reveal(),
      }
      const { child, ready } = await start('bucket-storage.ts', { order })
      const { authorization, path } = access
      return { name, child, url: ready.url + path, authorization }
    },
    slowStore: (delayMs) => before('slow-store.ts', delayMs),
    linkedStore: (megabytesPerSecond) => before('slow-link.ts', megabytesPerSecond),
    async newCatalogue() {
      cluster ??= startCluster({ settings: { fsync: 'off' } })
      const databases = await cluster
      return databases.url(await databases.createDatabase())
    },
    async close() {
      for (const end of ends) end()
      await hub.stop()
      await (await cluster)?.kill()
      await store.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function makeDirectory(settings: ReturnType<typeof testSettings>): Promise<string> {
  const branches = { main: 'a'.repeat(40) }
  const made = await writeDirectory<'writer/bench'>(settings, {
    accounts: [{ name: 'writer' }],
    namespaces: [{ name: 'acme', members: { writer: 'write' } }],
    repositories: [{ type: 'model', id: 'acme/bert', visibility: 'private', branches }],
    hubTokens: [{ account: 'writer', name: 'bench', kind: 'write' }],
  })
  return made['writer/bench']
}

/** For every storage: a token is for all that have its address. */
async function writeAccess(hubUrl: string, hubToken: string) {
  const response = await fetch(`${hubUrl}/api/models/acme/bert/storage-write-token/main`, {
    headers: { authorization: `Bearer ${hubToken}` },
  })
  const given = (await response.json()) as { casUrl: string; accessToken: string }
  return { path: new URL(given.casUrl).pathname, authorization: `Bearer ${given.accessToken}` }
}
