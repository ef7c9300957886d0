/** A hub and a storage for unmodified clients: everything real but the rest of a hub. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HubLink, httpHubLink } from '@latchkey/gate/hub-link'
import { startHub } from '@latchkey/hub'
import { Secret } from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { putNewDatabaseOf } from '@latchkey/testing/hub/new-database'
import { objectsIn, type StorageSettings, startStorage } from '../../src/index.ts'
import type { OpenPool } from '../../src/threads/thread-pool.ts'
import { usualPool } from '../stage.ts'
import { type HubTokens, writeDirectory } from './directory.ts'
import { openRestOfAHub, type RestOfAHub } from './rest-of-a-hub.ts'
import { openStorageDoor, type StorageDoor } from './storage-door.ts'

export interface Stage {
  /** What clients take for the hub. */
  readonly hub: RestOfAHub
  readonly door: StorageDoor
  readonly hubTokens: HubTokens
  /** How many objects the storage has on its disk. */
  objects(): number
  /** A ref of a repository such as `models/acme/bert`, as the door writes it down. */
  placeOf(repository: string, revision: string): Promise<string>
  stopHub(): Promise<void>
  /** With the same data and at the same address. */
  startHub(): Promise<void>
  /** How often the storage has asked the hub for a write, and the hub was away. */
  askedInVain(): number
  /** Of the storage. */
  metrics(): Promise<string>
  close(): Promise<void>
}

interface StageOptions {
  readonly lifetimeSeconds?: number
  readonly leewaySeconds?: number
  /** Of the storage. */
  readonly settings?: Partial<StorageSettings>
  /** Left out: no threads, but in a soak. */
  readonly openPool?: OpenPool
}

export async function openStage({
  lifetimeSeconds = 900,
  leewaySeconds = 30,
  settings: change,
  openPool = usualPool,
}: StageOptions = {}): Promise<Stage> {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-real-clients-'))
  const door = await openStorageDoor()
  const settings = testSettings(data, {
    casUrl: `${door.url}/r/{repo}/{ref}`,
    hubTokenPrefix: 'hf_',
    compat: { huggingface: true },
    token: { lifetimeSeconds },
  })
  await putNewDatabaseOf(settings)
  const hubTokens = await writeDirectory(settings)
  const lines = { write() {}, async close() {} }
  let running = await startHub(settings, { lines })
  const { url: hubUrl } = running
  const credential = new Secret('hub-token', hubTokens['maintainer/storage'])
  const issuer = settings.publicUrl
  const watched = watchWrites(httpHubLink({ hubUrl, issuer, credential, clock: systemClock }))
  const trust = { link: watched.link }
  const stored = { ...storageSettings(settings, leewaySeconds), ...change }
  const storage = await startStorage(stored, trust, { lines, openPool })
  door.leadTo(storage.url)
  const adminToken = hubTokens['maintainer/admin']
  const hub = await openRestOfAHub({ hubUrl, adminToken, stored: door.files })
  return {
    ...{ hub, door, hubTokens },
    objects: () =>
      readdirSync(objectsIn(data).folder, { recursive: true, withFileTypes: true }).filter(
        // Beside them lies what says whose they are.
        (entry) => entry.isFile() && !entry.name.endsWith('.json'),
      ).length,
    async placeOf(repository, revision) {
      const response = await fetch(`${hub.url}/api/${repository}/xet-read-token/${revision}`, {
        headers: { authorization: `Bearer ${hubTokens['writer/read']}` },
      })
      const { casUrl } = (await response.json()) as { casUrl: string }
      return casUrl.split('/').slice(-2).join('/')
    },
    stopHub: () => running.stop(),
    async startHub() {
      running = await startHub({ ...settings, port: Number(new URL(hubUrl).port) }, { lines })
    },
    askedInVain: watched.failures,
    metrics: () => storage.metrics.text(),
    async close() {
      await Promise.all([hub.close(), door.close(), storage.stop()])
      await running.stop()
      rmSync(data, { recursive: true, force: true })
    },
  }
}

/** The follower, which asks all the time, can give its questions up. */
function watchWrites(link: HubLink): { readonly link: HubLink; failures(): number } {
  let failures = 0
  const changes: HubLink['changes'] = async (question) => {
    try {
      return await link.changes(question)
    } catch (error) {
      if (question.signal === undefined) failures += 1
      throw error
    }
  }
  return { link: { ...link, changes }, failures: () => failures }
}

function storageSettings(
  { data, casUrl, publicUrl }: ReturnType<typeof testSettings>,
  leewaySeconds: number,
): StorageSettings {
  return {
    ...{ data, casUrl, leewaySeconds, issuer: publicUrl },
    host: '127.0.0.1',
    port: 0,
    isolation: 'ref',
    quota: { bytes: undefined, objects: undefined },
    timeouts: {
      idleSeconds: 60,
      totalSeconds: 600,
      minBytesPerSecond: 0,
    },
    cors: { origins: [] },
    allowedHosts: [],
    trustedProxies: [],
    limits: { failuresPerMinute: 300, connections: 1000 },
    log: { level: 'debug' },
    stopDeadlineSeconds: 1,
  }
}
