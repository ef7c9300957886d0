/** The entry point: settings and a link to the hub become a running storage. */

import type { KeyObject } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Gate } from '@latchkey/gate'
import type { HubLink } from '@latchkey/gate/hub-link'
import type { Secret } from '@latchkey/protocol'
import { clientAddress } from '@latchkey/service/client-address'
import { deadlines } from '@latchkey/service/deadlines'
import { createLog } from '@latchkey/service/log'
import type { MetricsPage } from '@latchkey/service/metrics'
import { stopOnce } from '@latchkey/service/stop-once'
import { type Surroundings, surroundingsFrom } from '@latchkey/service/surroundings'
import { blobUrls, signingKey } from './blob-url/blob-url.ts'
import { defaultInFlightBytes } from './bounds/in-flight.ts'
import { type CatalogDatabase, openCatalog } from './catalog/catalog-database.ts'
import { sqliteCatalog } from './catalog/sqlite-catalog.ts'
import { type StorageFollowing, startFollowing } from './following/start-following.ts'
import { openListener } from './http/open-listener.ts'
import { serveOperations } from './http/serve-operations.ts'
import { serveStorage } from './http/serve-storage.ts'
import { judgingOf } from './judging-of.ts'
import { diskStore } from './objects/disk-store.ts'
import { objectsFolder } from './objects/object-places.ts'
import { prepareFolder } from './objects/prepare-folder.ts'
import { openPools, type StoragePools } from './open-pools.ts'
import { levelOf, type StorageLog } from './operations/log-events.ts'
import { createMetrics } from './operations/metrics.ts'
import { writeDown } from './operations/write-down.ts'
import { uploadReceiver } from './requests/receive-upload.ts'
import type { StorageSettings } from './settings.ts'
import { type OpenPool, threadPool } from './threads/thread-pool.ts'

export interface RunningStorage {
  readonly url: string
  /** Of the listener for `/healthz`, `/readyz` and `/metrics`, where they have one of their own. */
  readonly operationsUrl: string | undefined
  readonly metrics: MetricsPage
  /** Whether there are keys to verify tokens with. */
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

/** What a storage takes from its machine. */
export interface StorageSurroundings extends Surroundings {
  readonly openPool: OpenPool
}

const settledMs = 1000
const keysMs = 1000

/** A writer that waits blocks every request of this process, so it waits briefly and tries again. */
const busyTimeoutMs = 50

export async function startStorage(
  settings: StorageSettings,
  trust: StorageTrust,
  { openPool = threadPool, ...given }: Partial<StorageSurroundings> = {},
): Promise<RunningStorage> {
  await prepareFolder(objectsFolder(settings.data))
  const database = openCatalog(settings.data, { busyTimeoutMs })
  try {
    const surroundings = { ...surroundingsFrom(given), openPool }
    return await runStorage(settings, { ...trust, database }, surroundings)
  } catch (error) {
    database.close()
    throw error
  }
}

async function runStorage(
  settings: StorageSettings,
  { link, blobUrlKey, database }: StorageTrust & { readonly database: CatalogDatabase },
  surroundings: StorageSurroundings,
): Promise<RunningStorage> {
  const { clock, stopwatch, lines } = surroundings
  const log = createLog({ levelOf, level: settings.log.level, write: lines.write })
  const key = signingKey(blobUrlKey)
  const following = await startFollowing({
    ...{ link, database, clock, stopwatch, log },
    longestUploadSeconds: settings.timeouts.totalSeconds,
  })
  const { close: closePools, ...pools } = openPools(surroundings.openPool, settings, key)
  const close = async () => {
    await following.stop()
    await closePools()
  }
  const opened = { link, key, database, log, following, pools, close }
  return serveOpened(settings, opened, surroundings).catch(async (error) => {
    await close()
    throw error
  })
}

/** What a storage has opened before it listens. */
interface Opened {
  readonly link: HubLink
  readonly key: KeyObject
  readonly database: CatalogDatabase
  readonly log: StorageLog
  readonly following: StorageFollowing
  readonly pools: Omit<StoragePools, 'close'>
  /** Before the database is closed. */
  close(): Promise<void>
}

async function serveOpened(
  settings: StorageSettings,
  { link, key, database, log, following, pools, close }: Opened,
  surroundings: StorageSurroundings,
): Promise<RunningStorage> {
  const { clock, stopwatch, randomBytes, lines } = surroundings
  const watch = deadlines(settings.timeouts, stopwatch)
  const metrics = createMetrics({
    openRequests: () => watch.watching,
    isLinked: () => following.hub() === 'linked',
  })
  const catalog = sqliteCatalog({ ...settings, database, clock, upToDate: following.upToDate })
  const parts = { ...partsOf(settings, surroundings, following), ...pools, catalog }
  const admission = { urls: blobUrls(key), log, keys: link.keys, hear: following.hear }
  const judging = judgingOf(settings, parts, { ...admission, ...surroundings })
  const isReady = async () => judging.isReady()
  const listener = await openListener({
    ...listenerOf(settings),
    operations: operationsOf(settings, { metrics, isReady, hub: following.hub, log, randomBytes }),
    randomBytes,
    stopwatch,
    log,
    serve: serveStorage({
      judging,
      deadlines: watch,
      clientAddress: clientAddress(settings.trustedProxies),
      stopwatch,
      log,
      writeDown: writeDown(log, metrics),
    }),
  })
  const endSweeps = watch.start()
  const endLooking = await lookForKeys(judging)
  const { casUrl, isolation } = settings
  log('storage_started', { url: listener.url, casUrl, isolation })
  return {
    url: listener.url,
    operationsUrl: listener.operationsUrl,
    metrics,
    isReady,
    stop: stopOnce('storage', { log, lines, settings }, async (deadlineSeconds) => {
      await listener.stop(deadlineSeconds)
      endLooking()
      endSweeps()
      // Requests that were cut are logged before the last line; that takes moments.
      await Promise.race([listener.settled(), delay(settledMs, undefined, { ref: false })])
      await close()
      database.close()
    }),
  }
}

function partsOf(
  settings: StorageSettings,
  { clock, randomBytes }: Surroundings,
  { whenLinked }: Pick<StorageFollowing, 'whenLinked'>,
) {
  const { data, quota, inFlightBytes = defaultInFlightBytes } = settings
  const objects = diskStore(objectsFolder(data), randomBytes)
  const inFlight = { ofAccount: inFlightBytes, quota }
  const receiveUpload = uploadReceiver(objects, inFlight, whenLinked)
  return { clock, objects, receiveUpload }
}

function listenerOf(settings: StorageSettings) {
  return {
    host: settings.host,
    port: settings.port,
    portFlag: settings.portFlag,
    connections: settings.limits.connections,
    hosts: [new URL(settings.casUrl).hostname, ...settings.allowedHosts],
    readingMs: settings.timeouts.idleSeconds * 1000,
  }
}

function operationsOf(
  { operations }: StorageSettings,
  watched: Parameters<typeof serveOperations>[0],
) {
  if (operations === undefined) return undefined
  const { host, port } = operations
  return { serve: serveOperations(watched), place: port === undefined ? undefined : { host, port } }
}

/** The first request need not wait for the keys, and a storage without requests notices that its hub is back. */
async function lookForKeys({
  isReady,
  refreshKeys,
}: Pick<Gate, 'isReady' | 'refreshKeys'>): Promise<() => void> {
  const look = () => (isReady() ? undefined : refreshKeys())
  const timer = setInterval(look, keysMs).unref()
  await look()
  return () => clearInterval(timer)
}
