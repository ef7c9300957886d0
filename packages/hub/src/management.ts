/** The directory for those who manage it: its verbs and its store, and nothing that listens. */

export { accessOf } from './access/find-access.ts'
export { repositoryFinder } from './access/find-repository.ts'
export { usualCreationRules } from './as-caller/creation-rules.ts'
export { prepareDataDirectory } from './data/data-directory.ts'
export {
  claimForDemo,
  type DemoSecrets,
  type DemoToken,
  findDemoToken,
  refuseDemoData,
  refuseRealData,
} from './data/demo-tokens.ts'
export {
  type CopiedStore,
  copyStore,
  inspectPostgres,
  migrateStore,
  pendingMigrations,
  storeName,
} from './data/migrate-store.ts'
export {
  type DatabasePlace,
  hasStore,
  type OpenStoreOptions,
  openStore,
  sqliteFile,
} from './data/open-store.ts'
export { keyWorkOf } from './keys/key-ring.ts'
export type { MasterKey } from './keys/master-key.ts'
export {
  type RewrapKeys,
  type RewrapResult,
  replaceLostKeys,
  rewrapKeys,
  rewrapKeysOf,
} from './keys/rewrap.ts'
export { findMasterKey, keyMaker } from './keys/seal.ts'
export { storedVerifyingKeys } from './keys/stored-keys.ts'
export { type LinkedRepositoryNames, repositoryNames } from './link/repository-names.ts'
export { type StoreLink, storeLink } from './link/store-link.ts'
export { refuseUnusableAddresses } from './minting/refuse-unusable-addresses.ts'
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
export { raiseEpochs } from './verbs/repository-rows.ts'
