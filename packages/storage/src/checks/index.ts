/** The health checks of a storage. */

export { contentFolders } from '../objects/open-objects.ts'
export { bucket } from './bucket.ts'
export { catalogue } from './catalogue.ts'
export { following } from './following.ts'
export type { HubJournal, StorageInstallation } from './installation.ts'
export { objectStore } from './object-store.ts'
