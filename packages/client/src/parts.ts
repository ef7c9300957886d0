/** Parts of every client of a hub, for the admin client and the storage alone: they may change in any release. */

export { type ClientClock, systemClock } from './clock/client-clock.ts'
export { badOption, LatchkeyError, refuseOptions } from './error/latchkey-error.ts'
export {
  askHub,
  clean,
  type HubAnswer,
  type HubQuestion,
  isCode,
  redirectError,
} from './hub/ask-hub.ts'
export { credentialOf, type HubTokenSource } from './identity/credential.ts'
export {
  checkedHubUrl,
  checkSeconds,
  type Fetch,
  type FetchAnswer,
  type FetchInit,
} from './options/resolve-options.ts'
export { retry } from './patience/retry.ts'
export { isTransient, readRetryAfter } from './patience/worth-a-retry.ts'
