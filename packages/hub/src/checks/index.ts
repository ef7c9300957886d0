export { database, dataDirectory } from './data-directory.ts'
export { identityProviders } from './identity-providers.ts'
export { journal, rollback } from './journal.ts'
export { knownServer } from './known-server.ts'
export {
  clock,
  durability,
  notifications,
  rights,
  schema,
  server,
  staleness,
} from './postgres-server.ts'
export { masterKey, signingKeys } from './signing-keys.ts'
export { storages } from './storages.ts'
export { teamGroups } from './team-groups.ts'
export {
  type HubInstallation,
  type JournalReading,
  withJournal,
  withRepositoryUids,
} from './with-store.ts'
