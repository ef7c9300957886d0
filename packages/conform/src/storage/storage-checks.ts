import type { Check } from '../check.ts'
import { isolationChecks } from './isolation-checks.ts'
import { requestChecks } from './request-checks.ts'
import { responseChecks } from './response-checks.ts'
import { revocationChecks } from './revocation-checks.ts'
import type { StorageTarget } from './storage-target.ts'
import { tokenChecks } from './token-checks.ts'

/** The last ones change what the server knows of its hub, or make it suspicious of this address. */
export const storageChecks: readonly Check<StorageTarget>[] = [
  ...requestChecks,
  ...responseChecks,
  ...isolationChecks,
  ...revocationChecks,
  ...tokenChecks,
]
