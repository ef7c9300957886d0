/** Makes room for a restore in a data directory, and removes what a restore that fails has written. */

import { existsSync, rmSync } from 'node:fs'
import { restoredDatabase } from '@latchkey/hub/backup'
import { prepareDataDirectory } from '@latchkey/hub/management'
import { type RestoredFile, withBesides } from '@latchkey/service/backup/database-file'
import { empty, isFree, makeFile } from '@latchkey/service/backup/files'
import { CannotStart } from '@latchkey/service/machine/cannot-start'
import { quoteGiven } from '@latchkey/service/text/escape'
import { restoredCatalogue } from '@latchkey/storage/backup'
import { cannotWrite } from '../output/new-file.ts'
import { refused, Stop } from '../output/stop.ts'
import type { Parts } from './parts.ts'

export interface DataPlace {
  readonly data: string
  /** The file that the hub's database will be. */
  readonly file: string
}

/** The drafts are there before anything else, so that nothing can be started on a restore that was cut off. */
export async function intoData<Result>(
  place: DataPlace,
  parts: Parts,
  work: () => Promise<Result>,
): Promise<Result> {
  refuseOccupied(place, parts)
  const { data } = place
  const drafts = filesOf(place, parts).map(({ draft }) => draft)
  const isNew = !existsSync(data)
  try {
    prepareDataDirectory(data, { create: true })
    for (const draft of drafts) makeFile(draft)
    return await work()
  } catch (error) {
    if (!parts.isOnly && existsSync(data)) empty(data)
    if (isNew) rmSync(data, { recursive: true, force: true })
    for (const draft of drafts.flatMap(withBesides)) rmSync(draft, { force: true })
    const isTold = error instanceof Stop || error instanceof CannotStart
    throw isTold ? error : cannotWrite(data, error)
  }
}

function refuseOccupied(place: DataPlace, parts: Parts): void {
  const { data, file } = place
  if (!parts.isOnly && !isFree(data)) throw occupied(data)
  const there = filesOf(place, parts)
    .flatMap(({ name, draft }) => [...withBesides(name), draft])
    .find((path) => existsSync(path))
  if (there !== undefined) throw parts.isOnly ? inTheWay(there) : occupied(there)
  if (!parts.isOnly && existsSync(file)) throw occupied(file)
}

function filesOf(
  { data, file }: DataPlace,
  { journal, hasContent }: Parts,
): readonly RestoredFile[] {
  return [
    ...(journal === undefined ? [] : [restoredDatabase(file)]),
    ...(hasContent ? [restoredCatalogue(data)] : []),
  ]
}

function occupied(path: string): Stop {
  return refused(
    `${quoteGiven(path)} is there already, and nothing is overwritten: name a data directory with --data that is empty or not there. What a restore that was cut off has left can be removed.`,
  )
}

function inTheWay(path: string): Stop {
  return refused(
    `${quoteGiven(path)} is there already, and nothing is overwritten: stop what uses it, and move it away together with its -wal and -shm. What a restore that was cut off has left can be removed.`,
  )
}
