/** The objects that a catalogue names, brought from one place to another. */

import { openForReading } from '@latchkey/service/database'
import { objectsIn, openObjects } from '../objects/open-objects.ts'
import { type Carriage, type CarriedObjects, parseDigest } from '../objects/port.ts'

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
  const { missing, ...carried } = await openObjects(objectsIn(to)).carry(
    namedIn(catalogue),
    carriage,
  )
  return { ...carried, missing: missing.map(({ digest }) => digest) }
}

function* namedIn(catalogue: string) {
  const database = openForReading(catalogue)
  try {
    const rows = database.prepare('SELECT DISTINCT digest FROM stored_xorbs ORDER BY digest')
    for (const row of rows.iterate()) {
      const digest = parseDigest(String(row['digest']))
      if (digest !== undefined) yield { digest }
    }
  } finally {
    database.close()
  }
}
