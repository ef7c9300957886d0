/**
 * Keeps a catalogue and its object store together. The marker of the store and the catalogue have the same random mark,
 * which a storage replaces every minute. So of two copies of a catalogue one falls behind, and neither reads nor deletes
 * objects of the other.
 */

import { type Clock, isRefusal } from '@latchkey/protocol'
import type { RandomBytes } from '@latchkey/service/machine/random'
import type { CatalogDatabase } from '../catalog/catalog-database.ts'
import type { StorageTables } from '../catalog/schema.ts'
import type { ObjectStore, StoreMarker } from '../objects/object-store.ts'
import { emptyStore, findMismatch, unmarkedStore } from './find-mismatch.ts'
import {
  addIdentity,
  type CatalogueSide,
  homeOf,
  type IdentityRow,
  namesObjects,
  readIdentity,
  replaceIdentity,
} from './identity-row.ts'
import { markerText, parseMarker, type StoreSide } from './marker.ts'

/** Each gives one sentence where catalogue and store do not belong together, and rejects where one of them is unavailable. */
export interface StoreIdentity {
  /** Changes nothing, unless both are new: then they belong together from now on. */
  check(): Promise<string | undefined>
  /** The same, and once a minute replaces the mark. */
  refresh(): Promise<string | undefined>
  /** Before objects are deleted: afterwards no copy of this catalogue can use the store. */
  beginCollection(): Promise<string | undefined>
}

export interface IdentityDeps {
  readonly objects: Pick<ObjectStore, 'readMarker' | 'writeMarker' | 'list'>
  readonly database: Pick<CatalogDatabase, 'read' | 'change'>
  readonly clock: Clock
  readonly randomBytes: RandomBytes
}

export const markSeconds = 60

/** So many processes of one catalogue do not write at once. */
const maxTurns = 100

interface Together {
  readonly row: IdentityRow
  readonly home: string | undefined
  readonly store: StoreSide
  readonly version: string
}

export function storeIdentity(deps: IdentityDeps): StoreIdentity {
  return {
    async check() {
      const found = await look(deps)
      return typeof found === 'string' ? found : undefined
    },
    async refresh() {
      const found = await look(deps)
      if (typeof found === 'string') return found
      const ageSeconds = deps.clock() - Date.parse(found.store.usedAt) / 1000
      // A clock that was put back must not stop the marks.
      if (Math.abs(ageSeconds) < markSeconds) return undefined
      // On a full disk both still belong together; deletions wait for a mark of their own.
      await advance(deps, found).catch(() => {})
      return undefined
    },
    async beginCollection() {
      const shared = new Set<string>()
      for (let turn = 0; turn < maxTurns; turn += 1) {
        const found = await look(deps)
        if (typeof found === 'string') return found
        const { row, store } = found
        // A copy that was made a moment ago has these two.
        if (shared.size === 0) shared.add(row.side.mark).add(row.side.nextMark)
        if (!shared.has(store.mark)) return undefined
        await advance(deps, found)
      }
      throw new Error('other processes change the marker of the object store all the time')
    },
  }
}

async function look(deps: IdentityDeps): Promise<Together | string> {
  const { objects } = deps
  for (;;) {
    const marker = await objects.readMarker()
    const found = marker === undefined ? await meet(deps) : await compare(deps, marker)
    if (typeof found === 'object') return found
    // Another process of this catalogue may have changed both between the two reads.
    const now = await objects.readMarker()
    if (found !== undefined && now?.version === marker?.version) return found
  }
}

async function compare(
  { database }: IdentityDeps,
  { text, version }: StoreMarker,
): Promise<Together | string> {
  const row = await database.read(readIdentity)
  const home = await database.read(homeOf)
  const store = parseMarker(text)
  const mismatch = findMismatch({ catalogue: row?.side, home, store })
  if (mismatch !== undefined) return mismatch
  if (row === undefined || store === undefined) throw new Error('nothing was compared')
  return { row, home, store, version }
}

/** Undefined where both were new: they have met, or another process of this catalogue came first. */
async function meet(deps: IdentityDeps): Promise<string | undefined> {
  const { objects, database } = deps
  if (await database.read(namesObjects)) return emptyStore
  for await (const _ of objects.list()) return unmarkedStore
  const side = newSide(deps, undefined, await database.read(homeOf))
  // The catalogue first: a process that is killed before it writes the marker leaves both as new as they were.
  await change(deps, async (tables) => {
    await addIdentity(tables, side)
    const row = await readIdentity(tables)
    if (row !== undefined && row.side.incarnation === undefined)
      await replaceIdentity(tables, row, { ...side, catalogue: row.side.catalogue })
  })
  const row = await database.read(readIdentity)
  if (row === undefined) throw new Error('the catalogue has no identity')
  await objects.writeMarker(markerText(storeSide(deps, row.side)), 'new')
  return undefined
}

/** The marker gets the next mark, and then the catalogue a new one. Killed between the two, the next process goes on. */
async function advance(deps: IdentityDeps, { row, home, store, version }: Together): Promise<void> {
  const { mark, nextMark } = row.side
  if (store.mark === mark) {
    const used = { ...store, mark: nextMark, usedAt: momentOf(deps) }
    if (!(await deps.objects.writeMarker(markerText(used), version))) return
  }
  const side = { ...row.side, mark: nextMark, nextMark: newMark(deps), home }
  await change(deps, (tables) => replaceIdentity(tables, row, side))
}

export async function change<Result>(
  { database }: Pick<IdentityDeps, 'database'>,
  work: (tables: StorageTables) => Promise<Result>,
): Promise<Result> {
  const done = await database.change(work)
  if (isRefusal(done)) throw new Error(done.detail)
  return done
}

/** As of a catalogue that has just taken a store. */
export function newSide(
  deps: Pick<IdentityDeps, 'randomBytes'>,
  catalogue: string | undefined,
  home: string | undefined,
): CatalogueSide & Required<Pick<CatalogueSide, 'incarnation'>> {
  const fresh = () => newMark(deps)
  const marks = { mark: fresh(), nextMark: fresh() }
  return { catalogue: catalogue ?? fresh(), incarnation: fresh(), ...marks, home }
}

export function storeSide(
  deps: Pick<IdentityDeps, 'clock'>,
  { catalogue, incarnation = '', mark }: CatalogueSide,
): StoreSide {
  const now = momentOf(deps)
  return { catalogue, incarnation, mark, adoptedAt: now, usedAt: now }
}

function newMark({ randomBytes }: Pick<IdentityDeps, 'randomBytes'>): string {
  return randomBytes(16).toString('hex')
}

function momentOf({ clock }: Pick<IdentityDeps, 'clock'>): string {
  return new Date(clock() * 1000).toISOString()
}
