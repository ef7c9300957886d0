/** The gate in front of a storage: verifies a storage token for one request and answers with a grant or a refusal. */

export { CannotStart } from '@latchkey/service/machine/errors'
export { type KeySet, type Revocable, readKeySet } from '@latchkey/token'
export { type AdmittedRequest, RequestAbortedError } from './adapters/authenticate.ts'
export { type FetchGuardOptions, guardFetch, problem } from './adapters/fetch.ts'
export type { ProblemOptions } from './adapters/problem.ts'
export {
  type Admission,
  type CheckResult,
  createGate,
  type Gate,
  type Rejection,
} from './check/create-gate.ts'
export type { GateOptions } from './check/options.ts'
export type { PublicRoute } from './check/public-routes.ts'
export type { Grant } from './grant/grant.ts'
export { type Row, rowFor, visible } from './grant/visibility.ts'
export type { KeySource } from './keys/key-source.ts'
export { type Isolation, type Location, type Locator, placeByPrefix } from './place/locate.ts'
export {
  type GateRequest,
  type RawRequest,
  type ReadRequest,
  readRequest,
} from './request/read-request.ts'
export type { WhenStale } from './revocations/revocation-checker.ts'
export {
  noRevocations,
  type RevocationBounds,
  type RevocationSource,
  type Snapshot,
} from './revocations/revocation-source.ts'
