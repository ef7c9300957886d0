/** What the storage has heard of the hub's journal from the tokens themselves. */

import type { JournalNumber } from '@latchkey/protocol'
import type { View } from '../catalog/catalog.ts'
import type { CatalogDatabase } from '../catalog/catalog-database.ts'
import { raiseKnown } from '../catalog/link-state.ts'
import { DiskFull } from '../objects/object-store.ts'

/** Called before a view is looked at: no later write may have a stamp below what a token has named. */
export type Hear = (view: View) => Promise<void>

/** A number that was heard before costs nothing. */
export function hearing(database: CatalogDatabase, known: JournalNumber): Hear {
  let heard = known
  return async ({ refs = [] }) => {
    const highest = Math.max(0, ...refs.map(({ before }) => before ?? 0)) as JournalNumber
    if (highest <= heard) return
    try {
      await database.change((tables) => raiseKnown(tables, highest))
      heard = highest
    } catch (error) {
      // On a full disk nothing is written that could be stamped; reading goes on.
      if (!(error instanceof DiskFull)) throw error
    }
  }
}
