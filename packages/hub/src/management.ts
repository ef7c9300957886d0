/** The directory for those who manage it: its verbs and its store, and nothing that listens. */

export { accessOf } from './access/find-access.ts'
export { repositoryFinder } from './access/find-repository.ts'
export { type CopiedStore, copyStore } from './data/copy-store.ts'
export { prepareDataDirectory } from './data/data-directory.ts'
export { claimForDemo, refuseDemoData, refuseRealData } from './data/demo-mark.ts'
export { type DemoSecrets, type DemoToken, findDemoToken } from './data/demo-tokens.ts'
export { inspectPostgres } from './data/inspect-postgres.ts'
export { migrateStore, pendingMigrations, storeName } from './data/migrate-store.ts'
export {
  type DatabasePlace,
  hasStore,
  type OpenStoreOptions,
  openStore,
  sqliteFile,
} from './data/open-store.ts'
export { findMasterKey } from './keys/find-master-key.ts'
export { keyWorkOf } from './keys/key-work.ts'
export { keyMaker } from './keys/make-key.ts'
export type { MasterKey } from './keys/master-key.ts'
export { type Rewrapped, replaceLostKeys, rewrapKeys } from './keys/rewrap.ts'
export { type RewrapKeys, rewrapKeysOf } from './keys/rewrap-files.ts'
export { storedVerifyingKeys } from './keys/stored-verifying-keys.ts'
export { type LinkedRepositoryNames, repositoryNames } from './link/repository-names.ts'
export { type StoreLink, storeLink } from './link/store-link.ts'
export { refuseLongAddresses } from './minting/refuse-long-addresses.ts'
export {
  type AdminCall,
  changesIn,
  endOf,
  logAdminCall,
  type Target,
  targetOf,
} from './operations/admin-call.ts'
export { levelOf } from './operations/log-events.ts'
export { openPartnerKeys } from './revocation/report/partner-keys.ts'
export { type VerifyOwnToken, verifyOwnToken } from './revocation/report/verify-own-token.ts'
export { noteLastNumber } from './rollback/kept-number.ts'
export { runVerb } from './run-verb/run-verb.ts'
export type { VerbDeps } from './run-verb/verb-deps.ts'
export type { Store } from './stores/store.ts'
export type { Origin, Put } from './tables/change.ts'
export * from './tables/directory.ts'
export type { RepositoryRow } from './tables/rows.ts'
export { raiseEpochs } from './verbs/epochs.ts'
