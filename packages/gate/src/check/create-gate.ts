/** The gate: one storage request in, a grant or a refusal out. */

import {
  type Clock,
  isRefusal,
  type NormalPath,
  type Refusal,
  type Scope,
  type ScopeWanted,
  scopeRules,
} from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import type { Grant } from '../grant/grant.ts'
import type { Place } from '../place/locate.ts'
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
}

export function createGate(options: GateOptions): Gate {
  const { clock = systemClock, failuresPerMinute = 300, isStillGood = () => true } = options
  const settled = settleOptions(options, clock)
  const { issuer, audience, keys, revocations, leewaySeconds } = settled
  const judging = revocationJudge(revocations, options.withoutNews ?? 'refuse')
  const failures = failureLimit(failuresPerMinute, () => clock() * 1000)
  const verify = bearerVerifier({ keys, issuer, audience, leewaySeconds, clock, failures })
  const deps: JudgeDeps = { verify, judgeByNews: judging.judgeByNews, isStillGood, clock }
  const ofRequest = { read: requestReader(options, settled), decide: admit }
  keepKeysFresh(settled)
  return {
    check: (request) => judge(request, ofRequest, deps),
    async judgeToken(token, address) {
      const judged = await judge({ authorization: [`Bearer ${token}`], address }, ofBearer, deps)
      return judged.ok ? judged.grant : judged.refusal
    },
    isReady: () => keys.known() !== undefined && judging.isReady(),
    judge: judging.judge,
    judgeByNews: judging.judgeByNews,
    watch: judging.watch,
    revocations,
    refreshKeys: keys.refresh,
    audience,
  }
}

/** A gate that asks for news without any request keeps its keys fresh, too. */
function keepKeysFresh({ keys, revocations }: SettledGate): void {
  revocations.onAnswer(() => {
    const kids = [...(keys.known()?.keys() ?? [])]
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

/** The first and the last step of a verdict. */
interface Subject<Given, Read extends Bearer, Result> {
  read(given: Given): Read | Refusal
  decide(grant: Grant, read: Read): Result
}

/**
 * The steps of a verdict. It makes one promise, and waits only where a step does: a promise costs a check of a seen token a
 * tenth of its time.
 */
async function judge<Given, Read extends Bearer, Result>(
  given: Given,
  { read, decide }: Subject<Given, Read, Result>,
  { verify, judgeByNews, isStillGood, clock }: JudgeDeps,
): Promise<Result | Refused> {
  const request = read(given)
  if (isRefusal(request)) return refused(request)

  const now = clock()
  const verified = verify(request.authorization, request.address, now)
  const isVerifiedNow = !(verified instanceof Promise)
  const grant = isVerifiedNow ? verified : await verified
  if (isRefusal(grant)) return refused(grant)

  // One reading of the clock for both, unless time has passed between them.
  const judged = judgeByNews(grant, isVerifiedNow ? now : clock())
  const revoked = judged instanceof Promise ? await judged : judged
  if (revoked !== undefined) return refused(revoked, grant)

  const good = isStillGood(grant)
  const isGood = good === true || (await good) === true
  if (!isGood) return refused(tokenInvalid('revoked'), grant)

  return decide(grant, request)
}

/** A bearer by itself opens no path. */
const ofBearer: Subject<Bearer, Bearer, Judged> = {
  read: (bearer) => bearer,
  decide: (grant) => ({ ok: true, grant }),
}

/** A request, the place that it addresses, and the scope that it needs there. */
interface AddressedRequest extends Bearer {
  readonly request: ReadRequest
  readonly place: Place | undefined
  readonly wanted: Scope
}

function requestReader(
  { rules, allowPaths = [] }: GateOptions,
  { audience, placeOf }: SettledGate,
) {
  const authority = new URL(audience).host
  const scopeWanted = scopeRules(rules)
  return (given: GateRequest): AddressedRequest | Refusal => {
    const request = readRequest(given, authority, allowPaths)
    if (isRefusal(request)) return request
    const { authorization, address, method, path } = request
    const place = placeOf(request)
    const wanted = strictest(scopeWanted, method, place?.judged ?? [path])
    return { authorization, address, request, place, wanted }
  }
}

function admit(grant: Grant, { request, place, wanted }: AddressedRequest): Checked {
  const addressed = authorise(grant, wanted, place)
  if (isRefusal(addressed)) return refused(addressed, grant)
  const { path, prefix } = addressed
  return { ok: true, grant, path, prefix, query: request.query, wanted }
}

function strictest(wanted: ScopeWanted, method: string, paths: readonly NormalPath[]): Scope {
  return paths.some((path) => wanted(method, path) === 'write') ? 'write' : 'read'
}

function refused(refusal: Refusal, grant?: Grant): Refused {
  return { ok: false, refusal, ...(grant === undefined ? {} : { grant }) }
}
