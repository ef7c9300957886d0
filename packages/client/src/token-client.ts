/** The client without the platform's fetch: tokens, and requests with them over a fetch of one's own. */

export {
  createTokenClient,
  type TokenClient,
  type TokenClientOptions,
} from './create-token-client.ts'
export { LatchkeyError } from './error/latchkey-error.ts'
export type { Fetch, FetchAnswer, FetchInit } from './options/settle-options.ts'
export type { TokenRequestInit } from './storage/storage-request.ts'
