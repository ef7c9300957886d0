/** A hub and its storage in this process, and clients for them. */

import type { StorageClientOptions } from '@latchkey/client'
import { httpHubLink } from '@latchkey/gate/hub-link'
import { type HubSettings, startHub } from '@latchkey/hub'
import { systemClock } from '@latchkey/service/machine/time'
import { type StorageSettings, startStorage } from '@latchkey/storage'
import { rounds } from '@latchkey/testing/chance'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { prepareData } from '@latchkey/testing/hub/prepared-data'
import { type BreakableLine, breakableLine } from '@latchkey/testing/machine/breakable-line'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { freePort } from '@latchkey/testing/machine/free-port'
import { workHere } from '@latchkey/testing/machine/work-here'

export interface FileWorld {
  /** Of a client for the main branch of a repository; the account may write, unless told otherwise. */
  options(who?: string): Pick<StorageClientOptions, 'hubUrl' | 'hubToken' | 'repo'> & {
    readonly hubToken: string
  }
  close(): Promise<void>
}

export interface BreakableWorld extends FileWorld {
  readonly line: BreakableLine
}

export async function openFileWorld(): Promise<FileWorld> {
  const port = await freePort()
  return openAt(port, `http://127.0.0.1:${port}`)
}

/** With a line to the storage that can be broken. The origins are those of pages. */
export async function openBreakableWorld(origins: readonly string[] = []): Promise<BreakableWorld> {
  const storagePort = await freePort()
  const line = await breakableLine(storagePort)
  const world = await openAt(storagePort, line.url, origins)
  return {
    ...world,
    line,
    async close() {
      await world.close()
      await line.close()
    },
  }
}

const lines = { write() {}, async close() {} }
/** Until a soak: to start threads takes longer than what most tests do with them. */
const aroundStorage = { lines, ...(rounds(0, 1) === 0 && { openPool: workHere }) }

/** Clients reach the storage at the address, which may lead to its port by way of something else. */
async function openAt(
  port: number,
  address: string,
  origins: readonly string[] = [],
): Promise<FileWorld> {
  const { data, tokens } = await prepareData(sharedFolder())
  const settings = testSettings(data, { casUrl: `${address}/r/{repo}/{ref}`, cors: { origins } })
  const hub = await startHub(settings, { lines })
  const link = httpHubLink({
    ...{ hubUrl: hub.url, issuer: settings.publicUrl, clock: systemClock },
    credential: hub.embedded.credential,
  })
  const storage = await startStorage(storageSettings(settings, port), { link }, aroundStorage)
  return {
    options: (who = 'writer/write') => ({
      ...{ hubUrl: hub.url, hubToken: tokens[who] ?? '', repo: 'models/acme/bert' },
    }),
    async close() {
      await storage.stop()
      await hub.stop()
    },
  }
}

function storageSettings(
  { data, casUrl, publicUrl, host, cors }: HubSettings,
  port: number,
): StorageSettings {
  return {
    ...{ data, casUrl, host, port, issuer: publicUrl, cors: { origins: cors.origins } },
    isolation: 'ref',
    leewaySeconds: 30,
    quota: { bytes: undefined, objects: undefined },
    timeouts: { idleSeconds: 60, totalSeconds: 3600, minBytesPerSecond: 0 },
    allowedHosts: [],
    trustedProxies: [],
    limits: { failuresPerMinute: 300, connections: 1000 },
    log: { level: 'info' },
    stopDeadlineSeconds: 1,
  }
}
