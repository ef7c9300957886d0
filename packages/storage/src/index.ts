/** The embedded storage: content by its hash, which only its own repository and ref can reach. */

export { objectsFolder } from './objects/object-places.ts'
export type { ContentIsolation } from './request/view-of.ts'
export type { StorageSettings } from './settings.ts'
export { type RunningStorage, startStorage } from './start-storage.ts'
