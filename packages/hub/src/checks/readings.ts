/** Facts of the directory that the checks of other parts need. */

import type { Finding } from '@latchkey/service/checks'
import { findHead } from '../journal/read-journal.ts'
import { countOf } from '../tables/columns.ts'
import type { HubInstallation } from './installation.ts'
import { withStore } from './with-store.ts'

/** The journal of the hub, as far as it concerns somebody who follows it. */
export interface JournalReading {
  /** The number of its last entry. */
  head(): Promise<number>
  countAfter(number: number): Promise<number>
}

export function withJournal(
  installation: HubInstallation,
  run: (journal: JournalReading) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  return withStore(installation, (read) =>
    run({
      head: () => read(async (tables) => (await findHead(tables)).number),
      countAfter: (number) =>
        read((tables) => countOf(tables.selectFrom('journal').where('number', '>', number))),
    }),
  )
}

/** The uids of all repositories. */
export function withRepositoryUids(
  installation: HubInstallation,
  run: (uids: ReadonlySet<string>) => readonly Finding[],
): Promise<readonly Finding[]> {
  return withStore(installation, (read) =>
    read(async (tables) => {
      const rows = await tables.selectFrom('repositories').select('uid').execute()
      return run(new Set(rows.map(({ uid }) => uid)))
    }),
  )
}
