/** A hub and its storage in this process, on a data directory that commands work on meanwhile. */

import { httpHubLink } from '@latchkey/gate/hub-link'
import { openStore, startHub } from '@latchkey/hub'
import { systemClock } from '@latchkey/service/machine/time'
import { type StorageSettings, startStorage } from '@latchkey/storage'
import { rounds } from '@latchkey/testing/chance'
import { pathOf } from '@latchkey/testing/hub/ask'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { type RunVerb, verbRunner } from '@latchkey/testing/hub/run-verbs'
import { workHere } from '@latchkey/testing/machine/work-here'
import { type Held, type StorageCalls, storageCalls } from './storage-calls.ts'

export interface Site extends StorageCalls {
  /** As a command on the machine would. */
  readonly done: RunVerb
  /** What the storage has logged. */
  readonly lines: readonly string[]
  /** `write models/acme/bert@main`: a storage token, or the status of the refusal. */
  ask(what: string, hubToken: string): Promise<Held | number>
  stop(): Promise<void>
}

export async function openSite(data: string): Promise<Site> {
  const settings = testSettings(data)
  const lines: string[] = []
  const hub = await startHub(settings, { lines: { write() {}, async close() {} } })
  const { credential } = hub.embedded
  const issuer = settings.publicUrl
  const link = httpHubLink({ hubUrl: hub.url, issuer, credential, clock: systemClock })
  const storage = await startStorage(
    { ...storageSettings, data, casUrl: settings.casUrl, issuer: settings.publicUrl },
    { link },
    {
      lines: { write: (line) => lines.push(line), async close() {} },
      ...(rounds(0, 1) === 0 && { openPool: workHere }),
    },
  )
  const store = await openStore(settings, { create: false })
  return {
    ...storageCalls(storage.url),
    done: verbRunner(store, systemClock),
    lines,
    async ask(what, hubToken) {
      const headers = { authorization: `Bearer ${hubToken}` }
      const response = await fetch(hub.url + pathOf(what), { headers })
      const answer = await response.json()
      return response.status === 200 ? (answer as Held) : response.status
    },
    async stop() {
      await storage.stop()
      await hub.stop()
      store.close()
    },
  }
}

const storageSettings: Omit<StorageSettings, 'data' | 'casUrl' | 'issuer'> = {
  host: '127.0.0.1',
  port: 0,
  isolation: 'ref',
  quota: { bytes: undefined, objects: undefined },
  leewaySeconds: 30,
  timeouts: { idleSeconds: 60, totalSeconds: 3600, minBytesPerSecond: 0 },
  cors: { origins: [] },
  allowedHosts: [],
  trustedProxies: [],
  limits: { failuresPerMinute: 0, connections: 1000 },
  log: { level: 'debug' },
  stopDeadlineSeconds: 1,
}
