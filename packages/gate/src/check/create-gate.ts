/** The gate: one storage request in, a grant or a refusal out. */

import {
  type Clock,
  isRefusal,
  type NormalPath,
  type Refusal,
  type Scope,
  type ScopeWanted,
  scopeRules,
  type UnixSeconds,
} from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import type { Grant } from '../grant/grant.ts'
import { type GateRequest, type ReadRequest, readRequest } from '../request/read-request.ts'
import { namesKey } from '../revocations/kept-entries.ts'
import { type RevocationJudge, revocationJudge } from '../revocations/revocation-judge.ts'
import type { RevocationSource } from '../revocations/revocation-source.ts'
import { tokenInvalid } from '../token/token-refusals.ts'
import { bearerVerifier, failureLimit, type VerifyBearer } from '../token/verify-bearer.ts'
import { authorise } from './authorise.ts'
import { type GateOptions, type OtherOptions, type SettledGate, settleOptions } from './options.ts'

/** A request that may pass: with which grant, to which path of the storage, wanting which scope. */
export interface Admitted {
  readonly ok: true
  readonly grant: Grant
  /** Without the prefix that named repository and ref. */
  readonly path: NormalPath
  readonly prefix: string
  /** With its question mark, or empty. */
  readonly query: string
  readonly wanted: Scope
}

export interface Refused {
  readonly ok: false
  readonly refusal: Refusal
  /** Who was refused, once the token was found to be right. */
  readonly grant?: Grant
}

export type Checked = Admitted | Refused

/** Every Authorization header of a request, and where it comes from. */
type Bearer = Pick<ReadRequest, 'authorization' | 'address'>

type Judged = { readonly ok: true; readonly grant: Grant } | Refused

export interface Gate {
  check(request: GateRequest): Promise<Checked>
  /**
   * What a token allows that a request brings beside its own, judged as one in Authorization is. It opens no path: the
   * caller compares repository, ref and scope.
   */
  judgeToken(token: string, address: string | undefined): Promise<Grant | Refusal>
  /** Whether there are keys to verify with, and the hub has said which tokens were taken back. */
  isReady(): boolean
  /** Whether what a token allows is still good, by the newest list of the hub; the refusal if it is not. */
  judge: RevocationJudge['judge']
  /** The same, as a request is judged: it waits for news of the hub where they are late. */
  judgeByNews: RevocationJudge['judgeByNews']
  /** Calls `cut` once, when a request under way must end because its token was taken back. */
  watch: RevocationJudge['watch']
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

export function createGate(options: GateOptions): Gate {
  const { clock = systemClock, failuresPerMinute = 300, isStillGood = () => true } = options
  const settled = settleOptions(options, clock)
  const { issuer, audience, keys, revocations, leewaySeconds } = settled
  const judging = revocationJudge(revocations, options.whenStale ?? 'reject')
  const failures = failureLimit(failuresPerMinute, () => clock() * 1000)
  const verify = bearerVerifier({ keys, issuer, audience, leewaySeconds, clock, failures })
  const deps: JudgeDeps = { verify, judgeByNews: judging.judgeByNews, isStillGood, clock }
  keepKeysFresh(settled)
  const close = settled.pollsHub ? revocations.poll() : () => {}
  return {
    check: requestCheck(options, settled, deps),
    async judgeToken(token, address) {
      const judged = await judgeBearer({ authorization: [`Bearer ${token}`], address }, deps)
      return judged.ok ? judged.grant : judged.refusal
    },
    isReady: () => keys.known() !== undefined && judging.isReady(),
    judge: judging.judge,
    judgeByNews: judging.judgeByNews,
    watch: judging.watch,
    revocations,
    refreshKeys: keys.refresh,
    audience,
    close,
  }
}

/** Fetches keys without any request: the first ones, and the successor of a key that the hub has revoked. */
function keepKeysFresh({ keys, revocations }: SettledGate): void {
  revocations.onAnswer(() => {
    const keySet = keys.known()
    if (keySet === undefined) void keys.refresh()
    const kids = [...(keySet?.keys() ?? [])]
    const list = revocations.latest()?.list
    // The hub signs with another key by now, which is fetched before a token comes with it.
    if (list !== undefined && kids.some((kid) => namesKey(list, kid))) void keys.refresh()
  })
}

interface JudgeDeps extends Pick<RevocationJudge, 'judgeByNews'> {
  readonly verify: VerifyBearer
  readonly isStillGood: NonNullable<OtherOptions['isStillGood']>
  readonly clock: Clock
}

/**
 * The steps of a verdict on a bearer. It waits only where a step does: a promise costs a check of a seen token a tenth of its
 * time.
 */
function judgeBearer(
  { authorization, address }: Bearer,
  deps: JudgeDeps,
): Judged | Promise<Judged> {
  const now = deps.clock()
  const verified = deps.verify(authorization, address, now)
  // One reading of the clock for both, unless time passes between them.
  return verified instanceof Promise
    ? verified.then((grant) => judgeGrant(grant, deps.clock(), deps))
    : judgeGrant(verified, now, deps)
}

function judgeGrant(
  grant: Grant | Refusal,
  now: UnixSeconds,
  deps: JudgeDeps,
): Judged | Promise<Judged> {
  if (isRefusal(grant)) return refused(grant)
  const revoked = deps.judgeByNews(grant, now)
  return revoked instanceof Promise
    ? revoked.then((late) => judgeByOwner(grant, late, deps))
    : judgeByOwner(grant, revoked, deps)
}

function judgeByOwner(
  grant: Grant,
  revoked: Refusal | undefined,
  { isStillGood }: JudgeDeps,
): Judged | Promise<Judged> {
  if (revoked !== undefined) return refused(revoked, grant)
  const good = isStillGood(grant)
  return good === true ? { ok: true, grant } : judgeByWord(grant, good)
}

async function judgeByWord(grant: Grant, good: boolean | Promise<boolean>): Promise<Judged> {
  return (await good) === true ? { ok: true, grant } : refused(tokenInvalid('revoked'), grant)
}

function requestCheck(
  { rules, allowPaths = [] }: GateOptions,
  { audience, placeOf }: SettledGate,
  deps: JudgeDeps,
): Gate['check'] {
  const authority = new URL(audience).host
  const scopeWanted = scopeRules(rules)
  return async (given) => {
    const request = readRequest(given, authority, allowPaths)
    if (isRefusal(request)) return refused(request)

    const place = placeOf(request)
    const wanted = strictest(scopeWanted, request.method, place?.judged ?? [request.path])

    const answer = judgeBearer(request, deps)
    const judged = answer instanceof Promise ? await answer : answer
    if (!judged.ok) return judged

    const { grant } = judged
    const addressed = authorise(grant, wanted, place)
    if (isRefusal(addressed)) return refused(addressed, grant)
    const { path, prefix } = addressed
    return { ok: true, grant, path, prefix, query: request.query, wanted }
  }
}

function strictest(wanted: ScopeWanted, method: string, paths: readonly NormalPath[]): Scope {
  return paths.some((path) => wanted(method, path) === 'write') ? 'write' : 'read'
}

function refused(refusal: Refusal, grant?: Grant): Refused {
  return { ok: false, refusal, ...(grant === undefined ? {} : { grant }) }
}
