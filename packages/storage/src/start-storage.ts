/** The entry point: settings and a link to the hub become a running storage. */

import { setTimeout as delay } from 'node:timers/promises'
import { type HubLink, revocationState } from '@latchkey/gate/hub-link'
import { type OptionTypes, refuseOptions, storageAddress, unixSeconds } from '@latchkey/protocol'
import { clientAddress } from '@latchkey/service/http/addresses'
import { deadlines } from '@latchkey/service/http/deadlines'
import { diskReserve, freeBytes } from '@latchkey/service/machine/data-directory'
import { CannotStart } from '@latchkey/service/machine/errors'
import {
  type ProcessContext,
  processContextFrom,
  processContextTypes,
  stopOnce,
} from '@latchkey/service/machine/process-context'
import { systemTimers } from '@latchkey/service/machine/time'
import { createLog, failureOf } from '@latchkey/service/observe/log'
import type { MetricsPage } from '@latchkey/service/observe/metrics'
import packageJson from '../package.json' with { type: 'json' }
import { type DayKeys, dayKeys } from './blob-url/day-keys.ts'
import { openRootKey, type RootKey } from './blob-url/root-key.ts'
import { rootKeyName } from './blob-url/root-key-file.ts'
import { openSharedRootKey } from './blob-url/shared-root-key.ts'
import { defaultShardCaps } from './bounds/shard-caps.ts'
import { type CatalogDatabase, catalogFile } from './catalog/catalog-database.ts'
import { databaseCatalog } from './catalog/database-catalog.ts'
import { fileUploads } from './catalog/file-uploads.ts'
import type { WritingOptions } from './catalog/write-in-place.ts'
import { type XorbGrants, xorbGrants } from './catalog/xorb-grants.ts'
import { openOwnCatalog } from './catalog-place/open-catalog.ts'
import { fileHasher } from './files/file-hasher.ts'
import { type StorageFollowing, startFollowing } from './following/start-following.ts'
import { openListener } from './http/open-listener.ts'
import { serveOperations, withStoragePage } from './http/serve-operations.ts'
import { serveStorage } from './http/serve-storage.ts'
import { storageRows } from './http/storage-rows.ts'
import { whatToDo } from './identity/find-mismatch.ts'
import { noteAudience } from './identity/own-audience.ts'
import { type StoreIdentity, storeIdentity } from './identity/store-identity.ts'
import { watchIdentity } from './identity/watch-identity.ts'
import { judgingOf, whenStaleIn } from './judging-of.ts'
import { lookForHub } from './look-for-hub.ts'
import { unmappedObjects } from './maintenance/free-objects.ts'
import { deleteUnmapped } from './maintenance/remove-objects.ts'
import type { ObjectStore } from './objects/object-store.ts'
import { objectsOf, openObjects } from './objects/open-objects.ts'
import { openPools, type StoragePools } from './open-pools.ts'
import { storageDocument } from './openapi/storage-document.ts'
import { faultFinder } from './operations/find-fault.ts'
import { levelOf, type StorageLog } from './operations/log-events.ts'
import { createMetrics } from './operations/metrics.ts'
import { storedAmount } from './operations/stored-amount.ts'
import { writeDown } from './operations/write-down.ts'
import {
  draftRoom,
  type InFlight,
  inFlightLimits,
  uploadReceiver,
} from './request/receive-upload.ts'
import { type StorageSettings, settingTypes } from './settings.ts'
import { type OpenPool, threadPool } from './threads/thread-pool.ts'

export interface RunningStorage {
  readonly url: string
  /**
   * The URL of the listener for `/healthz`, `/readyz` and `/metrics`, if they have a separate one.
   */
  readonly operationsUrl: string | undefined
  readonly metrics: MetricsPage
  /** Whether there are keys to verify tokens with, the revocation list is known, and the content can be used. */
  isReady(): Promise<boolean>
  /** Why the content cannot be used, in a sentence for the operator; undefined if it can. */
  findFault(): Promise<string | undefined>
  /** In-flight requests finish; the promise settles within the deadline of the settings. Comes before the hub's. */
  stop(): Promise<void>
}

/** The inputs of a storage in addition to its settings. */
export interface StorageTrust {
  readonly link: HubLink
}

/** The dependencies of a storage on its machine. */
export interface StorageSurroundings extends ProcessContext {
  readonly openPool: OpenPool
}

const aroundTypes: OptionTypes<StorageSurroundings> = {
  ...processContextTypes,
  openPool: 'function',
}

const settledMs = 1000
/** `hf_xet` sends up to 64 xorbs of 64 MiB at once. */
const defaultInFlightBytes = 64 * 64 * 1024 * 1024

export async function startStorage(
  settings: StorageSettings,
  trust: StorageTrust,
  overrides: Partial<StorageSurroundings> = {},
): Promise<RunningStorage> {
  refuseOptions('startStorage', settings, settingTypes, CannotStart)
  refuseOptions('surroundings of startStorage', overrides, aroundTypes, CannotStart)
  const { openPool = threadPool } = overrides
  const surroundings = { ...processContextFrom(overrides), openPool }
  const log = logOf(settings, surroundings)
  const ownRoot = settings.masterKey === undefined && openOwnRoot(settings, log, surroundings)
  const objects = await openOwnObjects(settings, surroundings)
  await objects.prepare({ directDownloads: settings.directDownloads })
  const { grantsFlaw: reason } = objects
  if (reason !== undefined) log('grants_not_offered', { reason })
  const database = await openOwnCatalog(settings)
  try {
    await noteAudience(database, storageAddress(settings.casUrl).audience)
    const root = ownRoot || (await openSharedRoot(settings, { database, log }, surroundings))
    const blobUrlKeys = dayKeys(root, surroundings.clock)
    return await runStorage(
      settings,
      { ...trust, database, objects, log, blobUrlKeys },
      surroundings,
    )
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Bytes of tables for the objects that clients request chunks of; planning has separate ones. */
const tableBytes = 16 * 1024 * 1024

function openOwnObjects(
  settings: StorageSettings,
  { randomBytes }: ProcessContext,
): Promise<ObjectStore> {
  const { guard } = diskReserve(settings.data, settings.reservedBytes ?? 0)
  return openObjects(objectsOf(settings), { randomBytes, guard, tableBytes })
}

function logOf({ log: { level } }: StorageSettings, { lines }: ProcessContext): StorageLog {
  return createLog({ levelOf, level, write: lines.write })
}

function openOwnRoot(
  { data, blobUrlKeyName = rootKeyName }: StorageSettings,
  log: StorageLog,
  surroundings: ProcessContext,
): RootKey {
  return openRootKey(data, blobUrlKeyName, rootOptions(log, surroundings))
}

function openSharedRoot(
  { masterKey }: StorageSettings,
  { database, log }: Pick<Prepared, 'database' | 'log'>,
  surroundings: ProcessContext,
): Promise<RootKey> {
  if (masterKey === undefined) throw new TypeError('there is no master key')
  return openSharedRootKey({ ...rootOptions(log, surroundings), database, masterKey })
}

function rootOptions(log: StorageLog, { stopwatch, randomBytes }: ProcessContext) {
  const onFailure = (error: unknown) => log('blob_url_key_unreadable', failureOf(error))
  return { stopwatch, randomBytes, onFailure }
}

interface Prepared extends StorageTrust {
  readonly database: CatalogDatabase
  readonly objects: ObjectStore
  readonly log: StorageLog
  readonly blobUrlKeys: DayKeys
}

async function runStorage(
  settings: StorageSettings,
  prepared: Prepared,
  surroundings: StorageSurroundings,
): Promise<RunningStorage> {
  const { link, database, log, blobUrlKeys } = prepared
  const { clock, stopwatch, openPool } = surroundings
  const following = await startFollowing({
    ...{ link, database, clock, stopwatch, log },
    maxUploadSeconds: settings.timeouts.totalSeconds,
  })
  const endPolling = link.revocations.poll()
  const { close: closePools, ...pools } = openPools(openPool, settings, blobUrlKeys)
  const close = async () => {
    endPolling()
    await following.stop()
    await closePools()
  }
  return serveOpened(settings, { ...prepared, following, pools, close }, surroundings).catch(
    async (error) => {
      await close()
      throw error
    },
  )
}

/** The parts that a storage opens before it listens. */
interface Opened extends Prepared {
  readonly following: StorageFollowing
  readonly pools: Omit<StoragePools, 'close'>
  /** Before the database is closed. */
  close(): Promise<void>
}

async function serveOpened(
  settings: StorageSettings,
  { link, blobUrlKeys, database, objects, log, following, pools, close }: Opened,
  surroundings: StorageSurroundings,
): Promise<RunningStorage> {
  const { clock, stopwatch, randomBytes, lines } = surroundings
  const watch = deadlines(settings.timeouts, stopwatch)
  const gauges = {
    openRequests: () => watch.watching,
    isLinked: () => following.hub() === 'linked',
    stored: storedAmount(database, stopwatch),
    freeBytes: hasPrivateMetrics(settings) ? () => freeBytes(settings.data) : undefined,
  }
  const revocations = { source: link.revocations, whenStale: whenStaleIn(settings) }
  const metrics = createMetrics(gauges, revocations)
  const catalog = databaseCatalog({
    ...{ database, clock, quota: settings.quota, upToDate: following.upToDate },
    areObjectsShared: settings.directDownloads !== true,
  })
  const grants = openGrants(settings, { database, clock, upToDate: following.upToDate })
  const uploads = fileUploads({ database, clock, upToDate: following.upToDate })
  const hasher = fileHasher({
    catalog,
    pool: pools.sha256s,
    onDamage: ({ repositoryUid }, { hash, damage }) =>
      log('content_unreadable', { repository: repositoryUid, file: hash, reason: damage }),
    onFailure: (error) => log('storage_failed', failureOf(error)),
  })
  const parts = {
    ...partsOf(settings, surroundings, { ...following, objects }),
    ...pools,
    catalog,
    hasher,
    uploads,
    xorbGrants: grants,
    onReadBack: metrics.readBack,
  }
  const identity = storeIdentity({ objects, database, clock, randomBytes })
  const { mismatch, stop: endIdentity } = await watchIdentity({
    identity,
    timers: systemTimers,
    onMismatch: (reason) => log('store_mismatch', { reason, advice: whatToDo }),
  })
  const admission = { dayKeys: blobUrlKeys, log, link, hear: following.hear, mismatch }
  const judging = judgingOf(settings, parts, { ...admission, ...surroundings })
  const findFault = faultFinder({
    database,
    objects,
    mismatch,
    file: settings.database === undefined ? catalogFile(settings.data) : undefined,
  })
  const isReady = async () => judging.isReady() && (await findFault()) === undefined
  const says = () => ({ hub: following.hub(), ...revocationState(revocations) })
  const watched = { metrics, isReady, findFault, says, log, randomBytes }
  const { operations } = settings
  const isWatchedHere = operations !== undefined && operations.port === undefined
  const { version } = packageJson
  const document = () =>
    storageDocument({ casUrl: settings.casUrl, version, rows: storageRows(parts) })
  const listener = await openListener({
    ...listenerOf(settings),
    operations: operationsOf(settings, watched),
    withPage: (rest) => withStoragePage(rest, watched, { isWatchedHere, document }),
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
  const endDeletions = deleteLeftovers({ database, objects, identity, log, clock }, settings)
  const endLooking = await lookForHub(judging, link)
  const { casUrl, isolation } = settings
  log('storage_started', { url: listener.url, casUrl, isolation })
  return {
    url: listener.url,
    operationsUrl: listener.operationsUrl,
    metrics,
    isReady,
    findFault,
    stop: stopOnce('storage', { log, lines, settings }, async (deadlineSeconds) => {
      await listener.stop(deadlineSeconds)
      endLooking()
      endSweeps()
      // Requests that were cut are logged before the last line; that takes moments.
      await Promise.race([listener.settled(), delay(settledMs, undefined, { ref: false })])
      await hasher.close()
      await endDeletions()
      await endIdentity()
      await close()
      await objects.close()
      await database.close()
    }),
  }
}

/** A command that unmaps objects deletes them itself, unless it is cut off. */
const leftoverSeconds = 60
const daySeconds = 24 * 3600

/** Deletes objects that were unmapped and are still there; gives the function that ends it. */
function deleteLeftovers(
  {
    database,
    objects,
    identity,
    log,
    clock,
  }: Pick<Prepared, 'database' | 'objects' | 'log'> &
    Pick<ProcessContext, 'clock'> & { readonly identity: StoreIdentity },
  { deletedKeepDays = 0 }: Pick<StorageSettings, 'deletedKeepDays'>,
) {
  let isStopped = false
  const keepSeconds = Math.max(leftoverSeconds, deletedKeepDays * daySeconds)
  const until = unixSeconds(clock() - keepSeconds)
  const work = async () => {
    const left = await database.read((tables) => unmappedObjects(tables, until))
    if (left.length === 0 || (await identity.beginCollection()) !== undefined) return
    await deleteUnmapped({ ...database, objects, identity }, until, { isStopped: () => isStopped })
  }
  const deleted = work().catch((error) => log('storage_failed', failureOf(error)))
  return async () => {
    isStopped = true
    await deleted
  }
}

/** Security boundary: whether only the operator reads the metrics. */
function hasPrivateMetrics({ operations, hasPrivateMetrics }: StorageSettings): boolean {
  return hasPrivateMetrics ?? operations?.port !== undefined
}

function partsOf(
  settings: StorageSettings,
  { clock }: ProcessContext,
  { whenLinked, objects }: Pick<StorageFollowing, 'whenLinked'> & Pick<Prepared, 'objects'>,
) {
  const { quota, leewaySeconds, shardCaps = defaultShardCaps } = settings
  const inFlight = inFlightOf(settings)
  const drafts = draftRoom(inFlight)
  const receiveUpload = uploadReceiver(objects, inFlight, whenLinked, drafts)
  return { clock, objects, drafts, receiveUpload, leewaySeconds, shardCaps, whenLinked, quota }
}

function inFlightOf({ quota, inFlightBytes = defaultInFlightBytes }: StorageSettings): InFlight {
  return { ofAccount: inFlightBytes, quota }
}

/** Open grants of one account, so that short xorbs do not fill the catalogue with rows. */
const maxGrants = 2000

function openGrants(settings: StorageSettings, options: WritingOptions): XorbGrants {
  return xorbGrants({ ...options, limits: { ...inFlightLimits(inFlightOf(settings)), maxGrants } })
}

function listenerOf(settings: StorageSettings) {
  return {
    host: settings.host,
    port: settings.port,
    portFlag: settings.portFlag,
    connections: settings.limits.connections,
    trustedProxies: settings.trustedProxies,
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
