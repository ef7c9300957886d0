/** Objects in a bucket: the packed bytes and the chunk table of each are put once, under a random key. */

import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { decodeTable, rememberTables } from '../chunk-tables.ts'
import { buffers } from '../disk/buffers.ts'
import { createDraft, openDraft, readDraft, receiveDraft, removeFile } from '../disk/drafts.ts'

import { sweepDrafts } from '../disk/walk-objects.ts'
import { ifThere } from '../file-errors.ts'
import { checkDraftId } from '../keys.ts'
import {
  type DirectUrl,
  type DraftId,
  NoSuchObject,
  type ObjectGrants,
  type ObjectKey,
  type ObjectStore,
  type OpenOptions,
  type S3Place,
} from '../object-store.ts'
import { listStored } from './list-stored.ts'
import { markerName, namesOf, objectName, tableName } from './names.ts'
import type { S3ClientOptions } from './open-client.ts'
import { putObject } from './put-object.ts'
import { outage } from './refuse-while-unavailable.ts'
import { removeAllWhole, removeWhole } from './remove-whole.ts'
import type { S3Client } from './s3-client.ts'

/** A load balancer asks often whether a storage is ready. */
const probeMs = 1000
/** A probe that fails is repeated by whoever asks. */
const probeRetrySeconds = 1

export function s3Store(
  place: S3Place,
  { randomBytes, guard, tableBytes, openSource }: OpenOptions,
): ObjectStore {
  const { scratch } = place
  const memory = buffers()
  const noting: S3ClientOptions = { onUnavailable: (failure) => note(failure) }
  const [client, probing, looking] = [
    lazily(() => openClient(place, noting)),
    lazily(() => openClient(place, { ...noting, retrySeconds: probeRetrySeconds })),
    lazily(() => openClient(place, { retrySeconds: 0 })),
  ]
  const makeScratch = async () => void (await mkdir(scratch, { recursive: true, mode: 0o700 }))
  const draftFile = (id: DraftId) => {
    checkDraftId(id)
    return join(scratch, id)
  }
  const newDraft = (id = randomBytes(16).toString('hex') as DraftId) => {
    return { id, discard: () => removeFile(draftFile(id)) }
  }
  const readTable = async (key: ObjectKey) => {
    const stored = await (await client()).readSmall(tableName(key))
    if (stored === undefined) throw new NoSuchObject('the store has no chunk table of this key')
    return decodeTable(stored.bytes)
  }
  const probes = new LRUCache<'probe', true>({
    ...{ max: 1, ttl: probeMs },
    fetchMethod: () =>
      probing().then(async (client) => {
        await client.head(markerName)
        return true as const
      }),
  })
  const { note, check } = outage(async () => (await looking()).head(markerName))
  const directUrls = async (seconds: number): Promise<DirectUrl> => {
    const { publicEndpoint: endpoint, grantCredentials: credentials } = place
    const sign = await (await client()).signedRanges({ seconds, endpoint, credentials })
    return (key, start, end) => sign(objectName(key), { start, end })
  }
  const hasVersions = lazily(async () => (await (await client()).versioning()) !== 'off')
  let grants: ObjectGrants | undefined
  let grantsFlaw: string | undefined
  return {
    get grants() {
      return grants
    },
    get grantsFlaw() {
      return grantsFlaw
    },
    async prepare(needs = {}) {
      await makeScratch()
      const { prepareBucket } = await import('./prepare-bucket.ts')
      const prepared = await prepareBucket(await client(), { place, randomBytes, needs })
      grantsFlaw = prepared.grantsFlaw
      if (place.publicEndpoint === undefined || grantsFlaw !== undefined) return
      const { objectGrants } = await import('./object-grants.ts')
      grants = objectGrants({ place, openClient: client, randomBytes, draftFile })
    },
    async probe() {
      await probes.forceFetch('probe')
    },
    async receive(body, most) {
      await check()
      const draft = newDraft()
      const file = draftFile(draft.id)
      const bytes = await receiveDraft(
        { body: guard(body), most },
        { file, makeFolders: makeScratch },
        memory,
      )
      return bytes === undefined ? undefined : { ...draft, bytes }
    },
    readDraft: (id) => readDraft(draftFile(id)),
    openDraft: (id) => openDraft(draftFile(id)),
    newDraft,
    createDraft: (id) => createDraft(draftFile(id)),
    async put({ id }) {
      const [draft, key] = [draftFile(id), id as string as ObjectKey]
      await putObject({ client: await client(), memory }, key, draft)
      // A second put of the draft must fail.
      await removeFile(draft)
      return key
    },
    /** Without its table. */
    sizeOf: async (key) => (await (await client()).head(objectName(key)))?.bytes,
    async fullSizeOf(key) {
      const { head } = await client()
      const [packed, table] = await Promise.all(namesOf(key).map(head))
      return packed && table && packed.bytes + table.bytes
    },
    read(key, start, end) {
      const name = objectName(key)
      return (async function* () {
        yield* (await client()).get(name, { start, end })
      })()
    },
    table: tableBytes === undefined ? readTable : rememberTables(readTable, tableBytes),
    directUrls: place.publicEndpoint === undefined ? undefined : directUrls,
    async remove(key) {
      const deps = { client: await client(), hasVersions: await hasVersions() }
      await Promise.all(namesOf(key).map((name) => removeWhole(deps, name)))
    },
    async removeMany(keys) {
      const deps = { client: await client(), hasVersions: await hasVersions() }
      await removeAllWhole(deps, keys.flatMap(namesOf))
    },
    async *list() {
      yield* listStored(await client())
    },
    async sweepDrafts(olderThan, isDryRun) {
      const drafts = await sweepDrafts(filesIn(scratch), olderThan, isDryRun)
      const { sweepProbes } = await import('./prepare-bucket.ts')
      const deps = { client: await client(), hasVersions: await hasVersions() }
      const probes = await sweepProbes(deps, olderThan, isDryRun)
      return { count: drafts.count + probes.count, bytes: drafts.bytes + probes.bytes }
    },
    async carry(items, carriage) {
      const { carryObjects } = await import('./carry-objects.ts')
      const source = await openSource(carriage.from)
      return carryObjects({ client: await client(), source }, items, carriage)
    },
    async readMarker() {
      const stored = await (await client()).readSmall(markerName)
      return stored && { text: stored.bytes.toString(), version: stored.etag }
    },
    async writeMarker(text, version) {
      const condition = version === 'new' ? { ifNoneMatch: '*' as const } : { ifMatch: version }
      return (await (await client()).put(markerName, Buffer.from(text), condition)) !== 'exists'
    },
    addressOf: (key) => `s3://${place.bucket}/${place.prefix}${objectName(key)}`,
    async close() {
      await Promise.all(
        [client, probing, looking].map(async (one) => (await one.opened())?.close()),
      )
    },
  }
}

/** Threads that only check drafts never ask the store. */
async function openClient(place: S3Place, options: S3ClientOptions = {}): Promise<S3Client> {
  const { openS3Client } = await import('./open-client.ts')
  return openS3Client(place, options)
}

interface Lazy<Result> {
  (): Promise<Result>
  /** Undefined if it was never called. */
  opened(): Promise<Result> | undefined
}

/** The next caller opens anew what could not be opened. */
function lazily<Result>(open: () => Promise<Result>): Lazy<Result> {
  let opening: Promise<Result> | undefined
  const get = () => {
    opening ??= open().catch((error) => {
      opening = undefined
      throw error
    })
    return opening
  }
  return Object.assign(get, { opened: () => opening })
}

async function* filesIn(folder: string): AsyncGenerator<string> {
  for (const name of (await ifThere(readdir(folder))) ?? []) yield join(folder, name)
}
