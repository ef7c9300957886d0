/** Tracks the highest journal number of the hub that tokens have shown. */

import {
  type Clock,
  isFuture,
  type JournalNumber,
  noJournalNumber,
  type UnixSeconds,
} from '@latchkey/protocol'
import type { SeenRefView, View } from '../catalog/catalog.ts'
import type { CatalogDatabase } from '../catalog/catalog-database.ts'
import { raiseKnown } from '../catalog/link-state.ts'
import { hold } from '../catalog/locks.ts'
import { DiskFull } from '../objects/object-store.ts'

/**
 * Called before a view is looked at: no later write may have a stamp below what a token has named. Gives the view without
 * the refs whose number is not believed, so that nothing of them is shown.
 */
export type Hear = (view: View) => Promise<View>

export interface Hearing {
  readonly database: CatalogDatabase
  readonly clock: Clock
  readonly knownNumber: JournalNumber
}

/** A number that was heard before costs nothing. */
export function hearing({ database, clock, knownNumber }: Hearing): Hear {
  let heard = knownNumber
  return async (requestedView) => {
    const view = believed(requestedView, clock())
    const highest = Math.max(0, ...(view.refs ?? []).map(beforeOf)) as JournalNumber
    if (highest <= heard) return view
    try {
      await database.change(async (tables) => {
        await hold(tables, { link: 'alone' })
        return raiseKnown(tables, highest)
      })
      heard = highest
    } catch (error) {
      // On a full disk nothing is written that could be stamped; reading goes on.
      if (!(error instanceof DiskFull)) throw error
    }
    return view
  }
}

function believed(view: View, now: UnixSeconds): View {
  const { refs } = view
  if (refs === undefined) return view
  return { ...view, refs: refs.filter((ref) => !isFuture(beforeOf(ref), now)) }
}

/** The own ref of a token is seen without a limit. */
function beforeOf({ before = noJournalNumber }: SeenRefView): JournalNumber {
  return before
}
