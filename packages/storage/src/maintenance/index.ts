/**
 * Maintains stored content for an operator: measure, collect, delete, verify, reset URLs,
 * reconcile.
 */

export { parseHash } from '@latchkey/xet/format'
export { rotateSharedRootKey, type StorageMasterKey } from '../blob-url/shared-root-key.ts'
export { hasCatalog, openCatalog } from '../catalog/catalog-database.ts'
export { readLinkState } from '../catalog/link-state.ts'
export { Terms } from '../catalog/terms.ts'
export {
  type CatalogSide,
  type CopiedCatalog,
  copyCatalog,
} from '../catalog-place/copy-catalog.ts'
export { inspectCatalogIn } from '../catalog-place/inspect-catalog.ts'
export {
  catalogName,
  migrateCatalog,
  pendingCatalogMigrations,
} from '../catalog-place/migrate-catalog.ts'
export { openCatalogOf } from '../catalog-place/open-catalog.ts'
export { readAudience } from '../identity/own-audience.ts'
export { type AdoptResult, adopt, type CountedObjects, countMissingIn } from './adopt.ts'
export type { Amount } from './amount.ts'
export { missedRemovals, tryToCatchUp } from './catch-up.ts'
export {
  type CollectionResult,
  collect,
  defaultGraceSeconds,
  minGraceSeconds,
} from './collect.ts'
export { type CopySide, copyObjects, type ObjectCopyResult } from './copy-objects.ts'
export { type DeletedContent, deleteContent } from './delete-content.ts'
export type { HubSide, MaintenanceLink } from './hub-side.ts'
export { hasContent, type Maintenance, openMaintenance } from './maintenance.ts'
export {
  closeWrites,
  copyContent,
  type Move,
  MoveFailed,
  openWrites,
  preparedBytes,
  retireContent,
} from './move-content.ts'
export { type OrphanedPlace, type ReconcileResult, reconcile } from './reconcile.ts'
export type { WantedRepository } from './repository-names.ts'
export { resetUrls } from './reset-urls.ts'
export { type RepositoryUsage, type Usage, usage, usageOf } from './usage.ts'
export { type BadXorb, type VerifyResult, verify } from './verify.ts'
