/** A repository as an operator names it to a storage command: by its name, or by its uid. */

import { asRepositoryUid, formatRepoRef, idPattern, parseRepoRef } from '@latchkey/protocol'
import { quoteGiven } from '@latchkey/service/text/escape'
import type { WantedRepository } from '@latchkey/storage/upkeep'
import { wrongUsage } from '../output/stop.ts'

export function readWantedRepository(given: string): WantedRepository {
  const wanted = idPattern.test(given) ? asRepositoryUid(given) : parseRepoRef(given)
  if (wanted !== undefined) return wanted
  throw wrongUsage(
    `<repository>: ${quoteGiven(given)} is not allowed; give a repository such as models/acme/bert, or its uid`,
  )
}

/** As the command log keeps it. */
export function wantedText(wanted: WantedRepository): string {
  return typeof wanted === 'string' ? wanted : formatRepoRef(wanted)
}

/** A repository without a name that the hub does not have is marked, so that the operator does not look for it there. */
export function shownRepository<Row extends { repository: string; isUnknown?: true }>({
  isUnknown,
  ...row
}: Row) {
  const repository = isUnknown ? `${row.repository} (not at the hub)` : row.repository
  return { ...row, repository }
}
