/** The objects that a catalogue names, brought from one place to another. */

import { openForReading } from '@latchkey/service/database'
import type { Carriage, CarriedObjects, ObjectKey } from '../objects/object-store.ts'
import { objectsIn, openObjects } from '../objects/open-objects.ts'

interface ObjectCarriage extends Omit<Carriage, 'from'> {
  readonly catalogue: string
  /** Data directories, or a backup: their objects lie in the same way. */
  readonly from: string
  readonly to: string
}

export interface CarriedContent extends Omit<CarriedObjects<never>, 'missing'> {
  /** The digests of objects that the catalogue names and the folder does not have. */
  readonly missing: readonly string[]
}

export async function carryObjects({
  catalogue,
  from,
  to,
  ...how
}: ObjectCarriage): Promise<CarriedContent> {
  const carriage = { ...how, from: objectsIn(from) }
  const objects = await openObjects(objectsIn(to))
  const { missing, ...carried } = await objects.carry(namedIn(catalogue), carriage)
  return { ...carried, missing: missing.map(({ digest }) => digest) }
}

/** Objects that are unmapped are left out. */
function* namedIn(
  catalogue: string,
): Generator<{ readonly digest: string; readonly key: ObjectKey }> {
  const database = openForReading(catalogue)
  try {
    const rows = database.prepare(
      'SELECT digest, key FROM stored_objects WHERE digest IN (SELECT digest FROM stored_xorbs) ORDER BY digest',
    )
    for (const { digest, key } of rows.iterate()) {
      yield { digest: String(digest), key: String(key) as ObjectKey }
    }
  } finally {
    database.close()
  }
}
