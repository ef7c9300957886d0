/** The highest number that was given before the loss, as far as anything that is left knows it. */

import { existsSync } from 'node:fs'
import { type OpenJournal, readKeptNumber } from '@latchkey/hub/management'
import type { Secret } from '@latchkey/protocol'
import { openForReading } from '@latchkey/service/database'
import { catalogFile, inspectCatalogIn } from '@latchkey/storage/upkeep'

interface Left {
  readonly data: string
  /** Where the catalogue is in PostgreSQL. */
  readonly catalogue: Secret<'database-url'> | undefined
  /** The journal as it was when the directory was lost. */
  readonly old: OpenJournal['tables'] | undefined
}

/**
 * A number that is given twice would hide content: what a storage has stored up to it would count as later than what the
 * restored hub does next. A clock that is behind, or a change of thousands of things just before the loss, could do that.
 */
export async function lastKnownNumber({ data, catalogue, old }: Left): Promise<number> {
  const head = await old?.selectFrom('journal_head').select('number').executeTakeFirst()
  const heard = catalogue === undefined ? inFile(catalogFile(data)) : await inPostgres(catalogue)
  return Math.max(head?.number ?? 0, heard, readKeptNumber(data) ?? 0)
}

/** A database that is away ends the restore: it may have heard of more than anything else here. */
async function inPostgres(catalogue: Secret<'database-url'>): Promise<number> {
  const { found, newestVersion, linkState, close } = await inspectCatalogIn(catalogue)
  try {
    return (await found()).version === newestVersion ? (await linkState()).known : 0
  } finally {
    await close()
  }
}

function inFile(catalogue: string): number {
  if (!existsSync(catalogue)) return 0
  const database = openForReading(catalogue)
  try {
    return Number(database.prepare('SELECT known FROM hub_link').get()?.['known'] ?? 0)
  } catch {
    // A catalogue that no storage of this version has opened yet has heard of nothing.
    return 0
  } finally {
    database.close()
  }
}
