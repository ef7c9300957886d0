/** A storage's part of a backup: what to copy, and how it comes back. */

export type { CarriedContent } from './carry-objects.ts'
export {
  backUpCatalogue,
  backUpObjects,
  catalogueIn,
  refuseNewerCatalogue,
  restoreCatalogue,
  restoreContent,
  restoredCatalogue,
} from './content-backup.ts'
export { heardNumber } from './heard-number.ts'
