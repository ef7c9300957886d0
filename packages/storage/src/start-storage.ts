/** The entry point: settings and a running hub become a running storage. */

import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { createGate, readKeySet } from '@latchkey/gate'
import { reception, storageCors } from '@latchkey/gate/reception'
import type { Beside, RunningHub } from '@latchkey/hub'
import { type Clock, storageAddress, type UnixSeconds } from '@latchkey/protocol'
import { clientAddress } from '@latchkey/service/client-address'
import { deadlines } from '@latchkey/service/deadlines'
import { createLog, failureOf } from '@latchkey/service/log'
import { stopOnce } from '@latchkey/service/stop-once'
import { type Surroundings, surroundingsFrom } from '@latchkey/service/surroundings'
import { type BlobUrls, blobUrls } from './blob-url/blob-url.ts'
import { defaultInFlightBytes } from './bounds/in-flight.ts'
import { defaultShardCaps } from './bounds/shard-caps.ts'
import type { Catalog } from './catalog/catalog.ts'
import { sqliteCatalog } from './catalog/sqlite-catalog.ts'
import { xorbChecker } from './checking/xorb-checker.ts'
import type { Judging } from './http/judge.ts'
import { storageLocate } from './http/locate.ts'
import { openBlobs } from './http/open-blob.ts'
import { openListener } from './http/open-listener.ts'
import { router } from './http/routes.ts'
import { serveStorage } from './http/serve-storage.ts'
import { type StorageParts, storageRows } from './http/storage-rows.ts'
import { diskStore } from './objects/disk-store.ts'
import { objectsFolder } from './objects/object-places.ts'
import { prepareFolder } from './objects/prepare-folder.ts'
import { levelOf, type StorageLog } from './operations/log-events.ts'
import { createMetrics } from './operations/metrics.ts'
import { writeDown } from './operations/write-down.ts'
import { blobUrlOf } from './requests/blob-url-of.ts'
import { uploadReceiver } from './requests/receive-upload.ts'
import type { StorageSettings } from './settings.ts'

export interface RunningStorage {
  readonly url: string
  /** In-flight requests finish; the promise settles within the deadline of the settings. Comes before the hub's. */
  stop(): Promise<void>
}

const settledMs = 1000
const waitMs = 20

export async function startStorage(
  settings: StorageSettings,
  { beside }: Pick<RunningHub, 'beside'>,
  given: Partial<Surroundings> = {},
): Promise<RunningStorage> {
  const folder = objectsFolder(settings.data)
  await prepareFolder(folder)
  const surroundings = surroundingsFrom(given)
  const { clock, stopwatch, randomBytes, lines } = surroundings
  const log = createLog({ levelOf, level: settings.log.level, write: lines.write })
  const watch = deadlines(settings.timeouts, stopwatch)
  const metrics = createMetrics(beside.registry, () => watch.watching)
  const urls = blobUrls(beside.blobUrlKey)
  const checker = xorbChecker({ threads: Math.max(1, availableParallelism() - 1) })
  const objects = diskStore(folder, randomBytes)
  const { quota, inFlightBytes = defaultInFlightBytes } = settings
  const parts: StorageParts = {
    catalog: catalogOf(settings, beside, clock),
    objects,
    receiveUpload: uploadReceiver(objects, { ofAccount: inFlightBytes, quota }),
    checker,
    blobUrlOf: blobUrlOf({ ...settings, urls, clock }),
    clock,
    caps: settings.shardCaps ?? defaultShardCaps,
  }
  const listener = await openListener({
    host: settings.host,
    port: settings.port,
    connections: settings.limits.connections,
    hosts: [new URL(settings.casUrl).hostname, ...settings.allowedHosts],
    randomBytes,
    stopwatch,
    readingMs: settings.timeouts.idleSeconds * 1000,
    log,
    serve: serveStorage({
      judging: await judgingOf(settings, parts, { urls, beside, log, ...surroundings }),
      deadlines: watch,
      clientAddress: clientAddress(settings.trustedProxies),
      stopwatch,
      log,
      writeDown: writeDown(log, metrics),
    }),
  }).catch(async (error) => {
    await checker.close()
    throw error
  })
  const endSweeps = watch.start()
  const { casUrl, isolation } = settings
  log('storage_started', { url: listener.url, casUrl, isolation })
  return {
    url: listener.url,
    stop: stopOnce('storage', { log, lines, settings }, async (deadlineSeconds) => {
      await listener.stop(deadlineSeconds)
      endSweeps()
      // Requests that were cut are logged before the last line; that takes moments.
      await Promise.race([listener.settled(), delay(settledMs, undefined, { ref: false })])
      await checker.close()
    }),
  }
}

function catalogOf({ quota }: StorageSettings, { store }: Beside, clock: Clock): Catalog {
  const waitUntil = async (moment: UnixSeconds) => {
    // A clock that was set back must not hold uploads for as long.
    const mostTurns = 2000 / waitMs
    for (let turn = 0; clock() < moment && turn < mostTurns; turn += 1) await delay(waitMs)
  }
  return sqliteCatalog({ ...store, clock, quota, waitUntil })
}

interface Trust extends Surroundings {
  readonly urls: BlobUrls
  readonly beside: Beside
  readonly log: StorageLog
}

/** The gate in front of it all, with the hub's own keys. */
async function judgingOf(
  settings: StorageSettings,
  parts: StorageParts,
  { urls, beside, log, clock, randomBytes }: Trust,
): Promise<Judging> {
  const { casUrl, issuer, isolation, leewaySeconds } = settings
  const { audience } = storageAddress(casUrl)
  const { origins } = settings.cors
  const gate = createGate({
    keys: await readKeySet(beside.jwks),
    issuer,
    audience,
    locate: storageLocate(casUrl),
    leewaySeconds,
    failuresPerMinute: settings.limits.failuresPerMinute,
    clock,
  })
  return {
    authority: new URL(audience).host,
    receive: reception(gate, {
      origins,
      onFailure: (error) => log('storage_failed', failureOf(error)),
    }),
    route: router(storageRows(parts)),
    openBlob: openBlobs({ ...parts, casUrl, urls }),
    isolation,
    cors: storageCors(origins),
    randomBytes,
  }
}
