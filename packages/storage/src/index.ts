/** The embedded storage: content by its hash, which only its own repository and ref can reach. */

export { openKeptRevocations } from './following/kept-revocations.ts'
export type { S3Credentials, S3Encryption, S3Place } from './objects/object-store.ts'
export { objectsIn } from './objects/open-objects.ts'
export type { ContentIsolation } from './request/view-of.ts'
export type { StorageSettings } from './settings.ts'
export { type RunningStorage, type StorageSurroundings, startStorage } from './start-storage.ts'
