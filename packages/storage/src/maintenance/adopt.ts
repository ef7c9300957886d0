/** Gives the object store to the catalogue, after one of them was restored. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { openCatalogForReading } from '../catalog/catalog-database.ts'
import type { StorageTables } from '../catalog/schema.ts'
import { adoptStore } from '../identity/adopt-store.ts'
import { readIdentity } from '../identity/identity-row.ts'
import { parseMarker } from '../identity/marker.ts'
import type { ObjectKey, ObjectStore, ObjectsPlace } from '../objects/object-store.ts'
import { openObjects } from '../objects/open-objects.ts'
import type { Maintenance } from './maintenance.ts'

export interface AdoptOptions {
  readonly isDryRun?: boolean
  /** Looks for every object, not for the first ones alone. */
  readonly withAll?: boolean
  /** Also when most of the objects are missing. */
  readonly evenMissing?: boolean
}

/** The state before the command. */
export interface AdoptResult {
  /** Why they do not belong together; undefined if they do. */
  readonly mismatch: string | undefined
  /** The catalogue that used the store last; `none` if there is no marker. */
  readonly owner: 'this catalogue' | 'another catalogue' | 'none'
  readonly adoptedAt: string | undefined
  readonly usedAt: string | undefined
  readonly objects: CountedObjects
}

/** Objects of the catalogue. Keys are random, so the first ones are a sample. */
export interface CountedObjects {
  readonly named: number
  readonly checked: number
  readonly missing: number
}

const sampleSize = 1000
const maxAtOnce = 16

export async function adopt(
  maintenance: Maintenance,
  { isDryRun = true, withAll = false, evenMissing = false }: AdoptOptions = {},
): Promise<AdoptResult | Refusal> {
  const { identity, database, clock } = maintenance
  const objects = await countMissing(maintenance, { withAll })
  const found = { mismatch: await identity.check(), ...(await ownerOf(maintenance)), objects }
  if (isDryRun) return found
  const { checked, missing } = objects
  if (missing > checked / 2 && !evenMissing) return mostMissing(found)
  const deps = { objects: maintenance.objects, database, clock, randomBytes: pooledRandom() }
  return (await adoptStore(deps)) ? found : changedMeanwhile
}

async function ownerOf({
  objects,
  database,
}: Maintenance): Promise<Pick<AdoptResult, 'owner' | 'adoptedAt' | 'usedAt'>> {
  const marker = await objects.readMarker()
  const store = marker && parseMarker(marker.text)
  if (store === undefined) return { owner: 'none', adoptedAt: undefined, usedAt: undefined }
  const row = await database.read(readIdentity)
  const owner = row?.side.catalogue === store.catalogue ? 'this catalogue' : 'another catalogue'
  return { owner, adoptedAt: store.adoptedAt, usedAt: store.usedAt }
}

async function countMissing(
  { read, objects }: Pick<Maintenance, 'read' | 'objects'>,
  { withAll }: Pick<AdoptOptions, 'withAll'> = {},
): Promise<CountedObjects> {
  const most = withAll ? Number.MAX_SAFE_INTEGER : sampleSize
  const named = await read(countNamed)
  let [checked, missing, after] = [0, 0, '']
  while (checked < most) {
    const keys = await read((tables) => namedAfter(tables, after))
    if (keys.length === 0) break
    missing += await missingAmong(objects, keys)
    checked += keys.length
    after = keys.at(-1) ?? ''
  }
  return { named, checked, missing }
}

/** For a catalogue that was restored just now, before anybody serves it. */
export async function countMissingIn(data: string, place: ObjectsPlace): Promise<CountedObjects> {
  const database = openCatalogForReading(data)
  try {
    const objects = await openObjects(place)
    return await countMissing({ read: database.read, objects }).finally(() => objects.close())
  } finally {
    await database.close()
  }
}

async function missingAmong(objects: ObjectStore, keys: readonly ObjectKey[]): Promise<number> {
  let missing = 0
  for (let start = 0; start < keys.length; start += maxAtOnce) {
    const sizes = await Promise.all(keys.slice(start, start + maxAtOnce).map(objects.sizeOf))
    missing += sizes.filter((bytes) => bytes === undefined).length
  }
  return missing
}

async function countNamed(tables: StorageTables): Promise<number> {
  const { count } = await tables
    .selectFrom('stored_objects')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('digest', 'is not', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

async function namedAfter(tables: StorageTables, after: string): Promise<readonly ObjectKey[]> {
  const rows = await tables
    .selectFrom('stored_objects')
    .select('key')
    .where('digest', 'is not', null)
    .where('key', '>', after)
    .orderBy('key')
    .limit(sampleSize)
    .execute()
  return rows.map(({ key }) => key as ObjectKey)
}

function mostMissing({ objects: { checked, missing } }: AdoptResult): Refusal {
  return refuse(
    'conflict',
    `${missing} of ${checked} objects of the catalogue are not in this object store, which is what another store looks like. Nothing was changed. Check --objects and --data; if this content is lost, pass --even-missing.`,
  )
}

const changedMeanwhile = refuse(
  'conflict',
  'Another process wrote the marker of the object store at the same moment. Stop every storage that uses it with another catalogue, and run this again.',
)
