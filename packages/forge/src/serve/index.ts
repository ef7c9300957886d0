/** The forge, for a program that runs a hub. */

export { lockForge } from '../commits/markers.ts'
export { GitUnavailable } from '../git/index.ts'
export type { ForgeMetrics } from './forge-metrics.ts'
export { type Forge, type ForgeSettings, openForge } from './open-forge.ts'
