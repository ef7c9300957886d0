/** A hub for the tests of a storage. */

export { type FakeHub, type FakeHubOptions, fakeHub } from './fake-hub.ts'
export type { RevokeRequest } from './hub-revocations.ts'
export type { HubClock } from './hub-time.ts'
export { type TokenFlaw, type TokenRequest, tokenFlaws } from './hub-tokens.ts'
export { type MemoryRevocations, memoryRevocations } from './memory-revocations.ts'
export {
  type PublishedRevocations,
  type PublishedRevocationsOptions,
  publishedRevocations,
} from './published-revocations.ts'
