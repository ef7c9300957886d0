/** A catalog with objects on a disk, and maintenance beside it. */

import { mkdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryNames, storeLink } from '@latchkey/hub/management'
import { isRefusal, parseRepoRef, type Refusal, type RepoRef, refuse } from '@latchkey/protocol'
import type { WritablePlace } from '../../src/catalog/catalog.ts'
import { Terms } from '../../src/catalog/terms.ts'
import { type Maintenance, openMaintenance } from '../../src/maintenance/maintenance.ts'
import { draftsIn, placeOf } from '../../src/objects/disk/places.ts'
import type { Draft, ObjectKey, ObjectStore, StoredObject } from '../../src/objects/object-store.ts'
import { objectsIn } from '../../src/objects/open-objects.ts'
import { type CatalogWorld, openWorld } from '../catalog/catalog-world.ts'
import { hash, objectBytes, xorb } from '../catalog/content.ts'

export { objectBytes }

export const day = 24 * 3600
export interface MaintenanceWorld extends CatalogWorld {
  readonly objects: ObjectStore
  readonly maintenance: Maintenance
  /** A body arrives, is kept and belongs to the ref. */
  upload(place: WritablePlace, word: string): Promise<boolean | Refusal>
  /** A file made of xorbs that the ref has. */
  register(
    place: WritablePlace,
    word: string,
    xorbs?: readonly string[],
  ): Promise<boolean | Refusal>
  epochs(): readonly number[]
  /** Which repositories have another address than at first, in order of their names. */
  raised(): readonly boolean[]
  stored(): Promise<readonly StoredObject[]>
  everything(): Promise<unknown>
  /** What is there but lacks something, in words. */
  broken(): Promise<readonly string[]>
}

export async function openMaintenanceWorld(): Promise<MaintenanceWorld> {
  const world = await openWorld()
  const { data, database, store } = world
  const link = storeLink(store, { verb: 'storage gc' })
  const names = repositoryNames(store)
  const maintenance = await openMaintenance({
    ...{ data, database, link, names, clock: world.now },
    letReadersEnd: async () => {},
  })
  await maintenance.identity.check()
  const objects = inFewFolders(maintenance.objects, objectsIn(data).folder)
  const stored = () => all(objects.list())
  return {
    ...world,
    ...writing(world, objects),
    objects,
    maintenance,
    stored,
    epochs: () => epochsIn(world),
    raised: () => epochsIn(world).map((epoch) => epoch > 0),
    everything: async () => [
      ...(await Promise.all(
        tables.map((table) => world.rows(`SELECT * FROM ${table} ORDER BY 1, 2`)),
      )),
      await stored(),
    ],
    broken: async () => brokenAmong(world, await stored()),
  }
}

/** To make all 256 folders for every world, and to walk through them, takes longer than most tests. */
function inFewFolders(objects: ObjectStore, root: string): ObjectStore {
  mkdirSync(draftsIn(root), { recursive: true, mode: 0o700 })
  const put: ObjectStore['put'] = (draft) => {
    const key = draft.id as string as ObjectKey
    mkdirSync(placeOf(root, key).folder, { recursive: true, mode: 0o700 })
    return objects.put(draft)
  }
  return { ...objects, put }
}

const tables = ['stored_xorbs', 'stored_objects', 'stored_files', 'stored_chunks', 'stored_totals']

export function draftFile(data: string, { id }: Draft): string {
  return join(draftsIn(objectsIn(data).folder), id)
}

function writing({ data, catalog, now }: CatalogWorld, objects: ObjectStore) {
  return {
    async upload(place: WritablePlace, word: string) {
      const draft = await objects.receive(bodyOf(word), 1000)
      if (draft === undefined) throw new Error('the body is too long')
      // The moments of the disk are the test's, too.
      utimesSync(draftFile(data, draft), now(), now())
      await catalog.reserveObject({ key: draft.id as string as ObjectKey, bytes: draft.bytes })
      const key = await objects.put(draft)
      const added = await catalog.addXorb(place, xorb(word), [hash(`chunk of ${word}`)], { key })
      if (!(await catalog.isNamed(key))) {
        await objects.remove(key)
        await catalog.forgetObject(key)
      }
      return added
    },
    async register(place: WritablePlace, word: string, xorbs: readonly string[] = [word]) {
      const refs = [{ uid: place.refUid, before: undefined }]
      const view = { repositoryUid: place.repositoryUid, refs }
      const found = [...(await catalog.findXorbs(view, xorbs.map(hash))).values()]
      const terms = Terms.of(
        xorbs.map((one) => ({ xorb: hash(one), start: 0, end: 3, unpackedBytes: 150 })),
      )
      const files = [{ hash: hash(`file ${word}`), bytes: 150 * xorbs.length, terms }]
      const isWhole = found.length === new Set(xorbs).size
      // The request would find this out for itself.
      if (!isWhole) return refuse('content_invalid', 'a xorb is not there')
      return catalog.addFiles(place, { files, xorbs: found, chunks: [] })
    },
  }
}

function epochsIn({ directoryRows }: CatalogWorld): readonly number[] {
  return directoryRows('SELECT epoch FROM repositories ORDER BY path').map(numberIn('epoch'))
}

export async function* bodyOf(word: string): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(objectBytes, word)
}

async function brokenAmong(
  { rows }: CatalogWorld,
  stored: readonly StoredObject[],
): Promise<readonly string[]> {
  const there = new Set<unknown>(stored.map(({ key }) => key))
  const owned = await rows(
    'SELECT x.ref_uid, x.hash, o.key FROM stored_xorbs AS x LEFT JOIN stored_objects AS o ON o.digest = x.digest',
  )
  const has = new Set(owned.map((row) => `${row['ref_uid']} ${row['hash']}`))
  const lostObjects = owned.filter((row) => !there.has(row['key'])).map(() => 'object')
  const files = await rows('SELECT ref_uid, terms FROM stored_files')
  const lostXorbs = files.flatMap((row) =>
    new Terms(row['terms'] as Uint8Array)
      .xorbs()
      .filter((xorb) => !has.has(`${row['ref_uid']} ${xorb}`)),
  )
  const chunks = await rows('SELECT ref_uid, xorb_hash FROM stored_chunks')
  const lostChunks = chunks.filter((row) => !has.has(`${row['ref_uid']} ${row['xorb_hash']}`))
  return [...lostObjects, ...lostXorbs, ...lostChunks.map(() => 'chunk')]
}

export function numberIn(column: string) {
  return (row: Record<string, unknown>): number => Number(row[column])
}

export function done<Result>(result: Result | Refusal): Result {
  if (isRefusal(result)) throw new Error(result.detail)
  return result
}

export function repo(path: string): RepoRef {
  const parsed = parseRepoRef(path)
  if (parsed === undefined) throw new Error(`${path} is no repository`)
  return parsed
}

export async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}
