/** Gives an object store to a catalogue, after one of them was restored. Others that used the store stop. */

import type { ObjectStore } from '../objects/object-store.ts'
import { homeOf, putIdentity, readIdentity } from './identity-row.ts'
import { markerText, parseMarker } from './marker.ts'
import { change, type IdentityDeps, newSide, storeSide } from './store-identity.ts'

export interface AdoptDeps extends Omit<IdentityDeps, 'objects'> {
  readonly objects: Pick<ObjectStore, 'readMarker' | 'writeMarker'>
}

/** False where another process has written the marker at the same moment. */
export async function adoptStore(deps: AdoptDeps): Promise<boolean> {
  const { objects, database } = deps
  const marker = await objects.readMarker()
  const row = await database.read(readIdentity)
  const owner = marker && parseMarker(marker.text)
  const catalogue = row?.side.catalogue ?? owner?.catalogue
  const side = newSide(deps, catalogue, await database.read(homeOf))
  // Killed before the marker is written, this is repeated, and whoever had the store still has it.
  await change(deps, (tables) => putIdentity(tables, side))
  return objects.writeMarker(markerText(storeSide(deps, side)), marker?.version ?? 'new')
}
