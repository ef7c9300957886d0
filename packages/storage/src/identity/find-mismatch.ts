/** Whether a catalogue and an object store belong together, and otherwise why not. */

import type { CatalogueSide } from './identity-row.ts'
import type { StoreSide } from './marker.ts'

export interface Sides {
  readonly catalogue: CatalogueSide | undefined
  /** Where the catalogue is now; undefined where that cannot be told. */
  readonly home: string | undefined
  readonly store: StoreSide | undefined
}

/** One sentence. It may be public, so it names no bucket and no folder. */
export function findMismatch({ catalogue, home, store }: Sides): string | undefined {
  if (store === undefined) return 'The marker of the object store is damaged.'
  const { adoptedAt, usedAt, incarnation, mark } = store
  if (catalogue?.catalogue !== store.catalogue) {
    return `The object store belongs to another catalogue, which used it last at ${usedAt}.`
  }
  if (catalogue.incarnation === undefined) {
    return `This catalogue was restored from a backup. The object store was used last at ${usedAt}.`
  }
  if (catalogue.incarnation !== incarnation) {
    return `Another copy of this catalogue adopted the object store at ${adoptedAt}.`
  }
  if (catalogue.home !== undefined && home !== undefined && catalogue.home !== home) {
    return `This catalogue is a copy of one in another database, which used the object store last at ${usedAt}.`
  }
  if (mark !== catalogue.mark && mark !== catalogue.nextMark) {
    return `This catalogue is an old copy: a newer state of it used the object store last at ${usedAt}.`
  }
  return undefined
}

export const emptyStore =
  'The object store is empty, or it is another one: it has no marker, and the catalogue names objects in it.'

export const unmarkedStore =
  'The object store has objects and no marker, and the catalogue names none of them.'

export const whatToDo =
  'Check the options that name the catalogue and the objects. If this catalogue is to have these objects from now on, for example after a restore, run "latchkey storage adopt".'
