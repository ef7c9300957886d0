/** The storage of an installation, for its checks. */

import type { DatabaseAnswer, Finding } from '@latchkey/service/checks'
import type { InspectedPostgresCatalog } from '../catalog/postgres/inspect-catalog.ts'
import type { StorageSettings } from '../settings.ts'

export interface StorageInstallation {
  /** Undefined where the hub runs without one. */
  readonly storage: Pick<StorageSettings, 'data' | 'objects' | 'directDownloads'> | undefined
  /** Facts of the catalogue in PostgreSQL, read once for all checks; undefined if it is a file. */
  readonly catalogue: (() => Promise<DatabaseAnswer<InspectedPostgresCatalog>>) | undefined
  /** Whether a hub answers that runs a storage. */
  readonly isStorageRunning: () => Promise<boolean>
  /** Runs the check with the journal of the hub; says why where that cannot be read. */
  readonly withJournal: (
    run: (journal: HubJournal) => Promise<readonly Finding[]>,
  ) => Promise<readonly Finding[]>
}

export interface HubJournal {
  /** The number of its last entry. */
  head(): Promise<number>
  countAfter(number: number): Promise<number>
}
