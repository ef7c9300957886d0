/** The embedded storage: content by its hash, which only its own repository and ref can reach. */

export type { ContentIsolation } from './requests/view-of.ts'
export type { StorageSettings } from './settings.ts'
export {
  objectsFolder,
  type RunningStorage,
  type Surroundings,
  startStorage,
} from './start-storage.ts'
