/** The health checks of a forge. */

export { type ForgeInstallation, repositories } from './repositories.ts'
