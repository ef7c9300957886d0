/** What an operator does with stored content: measure, collect, forget, verify, readdress. */

export { parseHash } from '@latchkey/xet/format'
export { Terms } from '../catalog/terms.ts'
export { parseDigest } from '../objects/object-store.ts'
export type { Amount } from './amount.ts'
export {
  type Collected,
  collect,
  defaultGraceSeconds,
  shortestGraceSeconds,
} from './collect.ts'
export { type Forgotten, forget } from './forget.ts'
export { readdress } from './readdress.ts'
export { openUpkeep, type Upkeep } from './upkeep.ts'
export { type RepositoryUsage, type Usage, usage, usageOf } from './usage.ts'
export { type BadXorb, type Verified, verify } from './verify.ts'
