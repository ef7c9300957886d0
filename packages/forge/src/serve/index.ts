export { lockForge } from '../commits/markers.ts'
export { GitUnavailable } from '../git/index.ts'
export { type ForgeSettings, openForge } from './open-forge.ts'
