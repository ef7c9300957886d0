/** The entry point: settings and a link to the hub become a running storage. */

import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { createGate } from '@latchkey/gate'
import type { HubChanges, HubLink, UnknownCursor } from '@latchkey/gate/hub-link'
import { reception, storageCors } from '@latchkey/gate/reception'
import { type Secret, storageAddress } from '@latchkey/protocol'
import { clientAddress } from '@latchkey/service/client-address'
import { deadlines } from '@latchkey/service/deadlines'
import { createLog, failureOf } from '@latchkey/service/log'
import type { MetricsPage } from '@latchkey/service/metrics'
import { stopOnce } from '@latchkey/service/stop-once'
import { type Surroundings, surroundingsFrom } from '@latchkey/service/surroundings'
import { type BlobUrls, blobUrls } from './blob-url/blob-url.ts'
import { defaultInFlightBytes } from './bounds/in-flight.ts'
import { defaultShardCaps } from './bounds/shard-caps.ts'
import { type CatalogDatabase, openCatalog } from './catalog/catalog-database.ts'
import { readLinkState } from './catalog/link-state.ts'
import { sqliteCatalog } from './catalog/sqlite-catalog.ts'
import { xorbChecker } from './checking/xorb-checker.ts'
import { askHub } from './following/ask-hub.ts'
import { followHub } from './following/follow-hub.ts'
import { type Hear, hearing } from './following/known-number.ts'
import { upToDate } from './following/up-to-date.ts'
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
  readonly metrics: MetricsPage
  /** Whether tokens can be verified and the database answers. */
  isReady(): Promise<boolean>
  /** In-flight requests finish; the promise settles within the deadline of the settings. Comes before the hub's. */
  stop(): Promise<void>
}

/** What a storage is given beside its settings. */
export interface StorageTrust {
  readonly link: HubLink
  /** Signs the short-lived URLs of blobs. */
  readonly blobUrlKey: Secret<'blob-url-key'>
}

const settledMs = 1000

/** A writer that waits blocks every request of this process, so it waits briefly and tries again. */
const busyTimeoutMs = 50

export async function startStorage(
  settings: StorageSettings,
  trust: StorageTrust,
  given: Partial<Surroundings> = {},
): Promise<RunningStorage> {
  await prepareFolder(objectsFolder(settings.data))
  const database = openCatalog(settings.data, { busyTimeoutMs })
  try {
    return await runStorage(settings, { ...trust, database }, surroundingsFrom(given))
  } catch (error) {
    database.close()
    throw error
  }
}

async function runStorage(
  settings: StorageSettings,
  { link, blobUrlKey, database }: StorageTrust & { readonly database: CatalogDatabase },
  surroundings: Surroundings,
): Promise<RunningStorage> {
  const { clock, stopwatch, randomBytes, lines } = surroundings
  const log = createLog({ levelOf, level: settings.log.level, write: lines.write })
  const watch = deadlines(settings.timeouts, stopwatch)
  const following = { link, database, clock, onAnswer: logMissed(log) }
  const follower = followHub({
    ...following,
    keepTombstonesSeconds: longestUseSeconds + settings.timeouts.totalSeconds,
    onLinked: logLinked(log),
    onFailure: (error) => log('storage_failed', failureOf(error)),
  })
  const metrics = createMetrics({
    openRequests: () => watch.watching,
    isLinked: follower.isLinked,
  })
  const urls = blobUrls(blobUrlKey)
  const checker = xorbChecker({ threads: Math.max(1, availableParallelism() - 1) })
  const objects = diskStore(objectsFolder(settings.data), randomBytes)
  const { quota, inFlightBytes = defaultInFlightBytes } = settings
  const fresh = upToDate(askHub(following), { stopwatch })
  const parts: StorageParts = {
    catalog: sqliteCatalog({ database, clock, quota, upToDate: fresh }),
    objects,
    receiveUpload: uploadReceiver(objects, { ofAccount: inFlightBytes, quota }),
    checker,
    blobUrlOf: blobUrlOf({ ...settings, urls, clock }),
    clock,
    caps: settings.shardCaps ?? defaultShardCaps,
  }
  const closeAll = async () => {
    await follower.stop()
    await checker.close()
  }
  const { known } = await database.read(readLinkState)
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
      judging: judgingOf(settings, parts, {
        ...{ urls, link, log },
        hear: hearing(database, known),
        ...surroundings,
      }),
      deadlines: watch,
      clientAddress: clientAddress(settings.trustedProxies),
      stopwatch,
      log,
      writeDown: writeDown(log, metrics),
    }),
  }).catch(async (error) => {
    await closeAll()
    throw error
  })
  const endSweeps = watch.start()
  const { casUrl, isolation } = settings
  log('storage_started', { url: listener.url, casUrl, isolation })
  return {
    url: listener.url,
    metrics,
    isReady: async () => link.keys.known() !== undefined,
    stop: stopOnce('storage', { log, lines, settings }, async (deadlineSeconds) => {
      await listener.stop(deadlineSeconds)
      endSweeps()
      // Requests that were cut are logged before the last line; that takes moments.
      await Promise.race([listener.settled(), delay(settledMs, undefined, { ref: false })])
      await closeAll()
      database.close()
    }),
  }
}

/** The longest that a storage token lives, and the leeway of the gate. */
const longestUseSeconds = 24 * 3600 + 60

function logLinked(log: StorageLog): (isLinked: boolean, error?: unknown) => void {
  return (isLinked, error) =>
    log(isLinked ? 'hub_reached' : 'hub_unreached', isLinked ? {} : failureOf(error))
}

function logMissed(log: StorageLog): (answer: HubChanges | UnknownCursor) => void {
  return ({ kind, number }) => {
    if (kind === 'unknown cursor') log('removals_missed', { number, advice: missedAdvice })
  }
}

const missedAdvice =
  'The hub does not have the journal that this storage followed: it was restored, or its journal was pruned. Nothing was removed here. Run "latchkey storage reconcile".'

interface Admission extends Surroundings {
  readonly urls: BlobUrls
  readonly link: HubLink
  readonly log: StorageLog
  readonly hear: Hear
}

/** The gate in front of it all, with the hub's own keys. */
function judgingOf(
  settings: StorageSettings,
  parts: StorageParts,
  { urls, link, log, hear, clock, randomBytes }: Admission,
): Judging {
  const { casUrl, issuer, isolation, leewaySeconds } = settings
  const { audience } = storageAddress(casUrl)
  const { origins } = settings.cors
  const gate = createGate({
    keys: link.keys,
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
    hear,
    cors: storageCors(origins),
    randomBytes,
  }
}
