/** What an operator does with stored content: collect, forget, measure. */

export { parseHash } from '../format/hash.ts'
export type { Amount } from './amount.ts'
export {
  type Collected,
  collect,
  defaultGraceSeconds,
  shortestGraceSeconds,
} from './collect.ts'
export { type Forgotten, forget } from './forget.ts'
export { openUpkeep, type Upkeep } from './upkeep.ts'
export { type RepositoryUsage, type Usage, usage, usageOf } from './usage.ts'
