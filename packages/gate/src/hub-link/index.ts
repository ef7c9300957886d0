/** The link of a gate or storage to its hub: keys, revocations, changes. */

export { keyFailure } from '../keys/fetch-keys.ts'
export { entryKeeper, type SharedText } from '../revocations/entry-keeper.ts'
export { type HubDocuments, hubDocuments } from '../revocations/head-keys.ts'
export { type HubRevocationsOptions, hubRevocations } from '../revocations/hub-revocations.ts'
export type { EntryKeeper, KeptEntries, KeptEntry } from '../revocations/kept-entries.ts'
export {
  noRevocations,
  type RevocationBounds,
  type RevocationSource,
  type Snapshot,
} from '../revocations/revocation-source.ts'
export {
  type RevocationStatus,
  revocationMetrics,
  revocationState,
  withheldBound,
} from '../revocations/show-revocations.ts'
export { type HttpHubLinkOptions, httpHubLink } from './http-hub-link.ts'
export {
  type ChangesQuestion,
  CredentialError,
  type HubChanges,
  type HubLink,
  HubLinkError,
  type PlaceUid,
  type QuotaPage,
  type QuotaStates,
  type QuotasQuestion,
  type UnknownCursor,
} from './hub-link.ts'
