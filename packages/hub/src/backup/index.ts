/** A hub's part of a backup: what to copy, and how it comes back. */

export { databaseIn } from '../data/data-directory.ts'
export { masterKeyFile } from '../keys/master-key.ts'
export type { RepeatedEntry } from '../restore/repeat-narrowing.ts'
export {
  type HubRestore,
  type RestoreDeps,
  type RestoredHub,
  restoredDatabase,
  restoreHub,
} from '../restore/restore-hub.ts'
export type { Usable } from '../restore/usable.ts'
export { type OpenJournal, openJournal } from '../stores/sqlite/open-journal.ts'
export {
  backUpHub,
  type HubInBackup,
  hubIn,
  lostDatabase,
  refuseNewerHub,
  repositoryUidsIn,
} from './hub-backup.ts'
