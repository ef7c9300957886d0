/** The client: get a token, use it, never think about it again. */

export { Secret, type UnixSeconds } from '@latchkey/protocol'
export type { ClientClock } from './clock/client-clock.ts'
export {
  createStorageClient,
  type StorageClient,
  type StorageClientOptions,
} from './create-storage-client.ts'
export { type ClientCode, LatchkeyError } from './error/latchkey-error.ts'
export type { StorageToken } from './hub/read-token-answer.ts'
export type { HubTokenSource } from './identity/credential.ts'
export type { ClientOptions } from './options/settle-options.ts'
export type { RequestBody } from './storage/request-body.ts'
export type { StorageRequestInit } from './storage/storage-request.ts'
