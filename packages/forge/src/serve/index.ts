export { lockForge } from '../commits/markers.ts'
export { GitUnavailable } from '../git/index.ts'
export { type Forge, type ForgeMetrics, type ForgeSettings, openForge } from './open-forge.ts'
