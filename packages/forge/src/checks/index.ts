export { type ForgeInstallation, repositories } from './repositories.ts'
