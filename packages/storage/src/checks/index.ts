/** The health checks of a storage. */

export { contentFolders } from '../objects/data-folder.ts'
export { catalogue } from './catalogue.ts'
export { following } from './following.ts'
export type { HubJournal, StorageInstallation } from './installation.ts'
