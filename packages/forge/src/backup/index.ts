/** A forge's part of a backup: what to copy, and how it comes back. */

export {
  backUpRepositories,
  type CarriedRepositories,
  hasRepositories,
  restoreRepositories,
} from './carry-repositories.ts'
