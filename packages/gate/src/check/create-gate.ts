/** The gate: one storage request in, a grant or a refusal out. */

import {
  type Clock,
  isRefusal,
  type NormalPath,
  type Refusal,
  type RequiredScope,
  type Scope,
  scopeRules,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import type { Grant } from '../grant/grant.ts'
import { type GateRequest, type ReadRequest, readRequest } from '../request/read-request.ts'
import { namesKey } from '../revocations/kept-entries.ts'
import { type RevocationChecker, revocationChecker } from '../revocations/revocation-checker.ts'
import type { RevocationSource } from '../revocations/revocation-source.ts'
import { tokenInvalid } from '../token/token-refusals.ts'
import { bearerVerifier, failureLimit, type VerifyBearer } from '../token/verify-bearer.ts'
import { authorise } from './authorise.ts'
import {
  type GateOptions,
  type OtherOptions,
  type ResolvedGateOptions,
  resolveOptions,
} from './options.ts'
import { type PublicRoute, publicRoutes } from './public-routes.ts'

/** A request that may pass: with which grant, to which path of the storage, wanting which scope. */
export interface Admission {
  readonly ok: true
  readonly grant: Grant
  /** Without the prefix that named repository and ref. */
  readonly path: NormalPath
  readonly prefix: string
  /** With its question mark, or empty. */
  readonly query: string
  readonly requiredScope: Scope
}

export interface Rejection {
  readonly ok: false
  readonly refusal: Refusal
  /** The grant of a rejected request, if its token was valid. */
  readonly grant?: Grant
}

export type CheckResult = Admission | Rejection

/** Every Authorization header of a request, and where it comes from. */
type Bearer = Pick<ReadRequest, 'authorization' | 'address'>

type BearerCheckResult = { readonly ok: true; readonly grant: Grant } | Rejection

export interface Gate {
  /** A request for a public route needs a token here too: call `isPublic` before. */
  check(request: GateRequest): Promise<CheckResult>
  /** Whether the request is for one of the public routes, and has nothing that `check` would refuse before its token. */
  isPublic(request: GateRequest): boolean
  readonly publicRoutes: readonly PublicRoute[]
  /**
   * Verifies a token that a request brings in addition to its own, as strictly as one in
   * Authorization. It opens no path: the caller compares repository, ref and scope.
   */
  verifyToken(token: string, address: string | undefined): Promise<Grant | Refusal>
  /** Whether there are keys to verify with, and the revocation list is known. */
  isReady(): boolean
  /** The refusal, if the token of a grant is revoked by the newest list, or that list is too old. Never waits. */
  checkGrant: RevocationChecker['check']
  /** The same as for a request: if the list is late, it waits for a newer one from the hub. */
  checkGrantFresh: RevocationChecker['checkFresh']
  /** Calls `cut` once, when a request under way must end because its token was taken back. */
  watch: RevocationChecker['watch']
  /** Which tokens the hub has taken back, as far as this gate knows. */
  readonly revocations: RevocationSource
  /** Looks for newer keys, at most once a second; never fails. */
  refreshKeys(): Promise<unknown>
  /** The storage's own URL, which every token must name. */
  readonly audience: string
  /**
   * Stops asking the hub at intervals, which a gate with a `hubUrl` does from its creation. Requests are checked as before,
   * and wait for the hub when the revocation list is late. An open gate keeps no process running.
   */
  close(): void
}

/**
 * @example
 * ```ts
 * const gate = createGate({
 *   hubUrl: 'https://hub.example',
 *   casUrl: 'https://cas.example/r/{repo}/{ref}',
 * })
 * const checked = await gate.check({ method: 'GET', target, headers })
 * ```
 */
export function createGate(options: GateOptions): Gate {
  const { clock: given, failuresPerMinute = 300, isRevoked = () => false } = options
  const clock = given === undefined ? systemClock : wholeSeconds(given)
  const settled = resolveOptions(options, given === undefined ? clock : withoutFailures(clock))
  const { issuer, audience, keys, revocations, leewaySeconds } = settled
  const judging = revocationChecker(revocations, options.whenStale ?? 'reject')
  const failures = failureLimit(failuresPerMinute, () => clock() * 1000)
  const verify = bearerVerifier({ keys, issuer, audience, leewaySeconds, clock, failures })
  const deps: CheckDeps = { verify, checkFresh: judging.checkFresh, isRevoked, clock }
  keepKeysFresh(settled)
  const close = settled.pollsHub ? revocations.poll() : () => {}
  return {
    check: requestCheck(options, settled, deps),
    ...publicPart(options, settled),
    async verifyToken(token, address) {
      const judged = await checkBearer({ authorization: [`Bearer ${token}`], address }, deps)
      return judged.ok ? judged.grant : judged.refusal
    },
    isReady: () => keys.known() !== undefined && judging.isReady(),
    checkGrant: judging.check,
    checkGrantFresh: judging.checkFresh,
    watch: judging.watch,
    revocations,
    refreshKeys: keys.refresh,
    audience,
    close,
  }
}

/** Fetches keys without any request: the first ones, and the successor of a key that the hub has revoked. */
function keepKeysFresh({ keys, revocations }: ResolvedGateOptions): void {
  revocations.onAnswer(() => {
    const keySet = keys.known()
    if (keySet === undefined) void keys.refresh()
    const kids = [...(keySet?.keys() ?? [])]
    const list = revocations.latest()?.list
    // The hub signs with another key by now, which is fetched before a token comes with it.
    if (list !== undefined && kids.some((kid) => namesKey(list, kid))) void keys.refresh()
  })
}

function publicPart(
  options: GateOptions,
  { audience }: ResolvedGateOptions,
): Pick<Gate, 'isPublic' | 'publicRoutes'> {
  const { rules, allowPaths = [], publicRoutes: routes = [] } = options
  const casUrl = 'casUrl' in options ? options.casUrl : undefined
  const authority = new URL(audience).host
  const isPublicRoute = publicRoutes(routes, scopeRules(rules), casUrl)
  return {
    publicRoutes: routes,
    isPublic(gateRequest) {
      if (routes.length === 0) return false
      const request = readRequest(gateRequest, authority, allowPaths)
      return !isRefusal(request) && isPublicRoute(request)
    },
  }
}

interface CheckDeps extends Pick<RevocationChecker, 'checkFresh'> {
  readonly verify: VerifyBearer
  readonly isRevoked: NonNullable<OtherOptions['isRevoked']>
  readonly clock: Clock
}

/**
 * The steps of a verdict on a bearer. It waits only where a step does: a promise costs a check of a seen token a tenth of its
 * time.
 */
function checkBearer(
  { authorization, address }: Bearer,
  deps: CheckDeps,
): BearerCheckResult | Promise<BearerCheckResult> {
  const now = deps.clock()
  const verified = deps.verify(authorization, address, now)
  // One reading of the clock for both, unless time passes between them.
  return verified instanceof Promise
    ? verified.then((grant) => checkGrant(grant, deps.clock(), deps))
    : checkGrant(verified, now, deps)
}

function checkGrant(
  grant: Grant | Refusal,
  now: UnixSeconds,
  deps: CheckDeps,
): BearerCheckResult | Promise<BearerCheckResult> {
  if (isRefusal(grant)) return refused(grant)
  const revoked = deps.checkFresh(grant, now)
  return revoked instanceof Promise
    ? revoked.then((late) => checkByOwner(grant, late, deps))
    : checkByOwner(grant, revoked, deps)
}

function checkByOwner(
  grant: Grant,
  revoked: Refusal | undefined,
  { isRevoked }: CheckDeps,
): BearerCheckResult | Promise<BearerCheckResult> {
  if (revoked !== undefined) return refused(revoked, grant)
  const answer = isRevoked(grant)
  return answer === false ? { ok: true, grant } : checkByAnswer(grant, answer)
}

/** Security boundary: everything but `false` rejects, also the `undefined` of a function that forgets to return. */
async function checkByAnswer(
  grant: Grant,
  answer: boolean | Promise<boolean>,
): Promise<BearerCheckResult> {
  return (await answer) === false ? { ok: true, grant } : refused(tokenInvalid('revoked'), grant)
}

function requestCheck(
  { rules, allowPaths = [] }: GateOptions,
  { audience, placeOf }: ResolvedGateOptions,
  deps: CheckDeps,
): Gate['check'] {
  const authority = new URL(audience).host
  const scopeWanted = scopeRules(rules)
  return async (gateRequest) => {
    const request = readRequest(gateRequest, authority, allowPaths)
    if (isRefusal(request)) return refused(request)

    const place = placeOf(request)
    const neededScope = strictest(
      scopeWanted,
      request.method,
      place?.checkedPaths ?? [request.path],
    )

    const answer = checkBearer(request, deps)
    const judged = answer instanceof Promise ? await answer : answer
    if (!judged.ok) return judged

    const { grant } = judged
    const addressed = authorise(grant, neededScope, place)
    if (isRefusal(addressed)) return refused(addressed, grant)
    const { path, prefix } = addressed
    return { ok: true, grant, path, prefix, query: request.query, requiredScope: neededScope }
  }
}

function strictest(scopeOf: RequiredScope, method: string, paths: readonly NormalPath[]): Scope {
  return paths.some((path) => scopeOf(method, path) === 'write') ? 'write' : 'read'
}

function refused(refusal: Refusal, grant?: Grant): Rejection {
  return { ok: false, refusal, ...(grant === undefined ? {} : { grant }) }
}

/** A clock of the caller may count parts of seconds. What is no number fails each check. */
function wholeSeconds(clock: () => number): Clock {
  return () => unixSeconds(Math.floor(clock()))
}

/**
 * For keys and lists, which the gate also reads between requests: an error there would end the process. Far in the future
 * they are all too old.
 */
function withoutFailures(clock: Clock): Clock {
  return () => {
    try {
      return clock()
    } catch {
      return unixSeconds(Number.MAX_SAFE_INTEGER)
    }
  }
}
