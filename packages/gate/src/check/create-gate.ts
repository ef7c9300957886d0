/** The gate: one storage request in, a grant or a refusal out. */

import {
  isRefusal,
  type NormalPath,
  type Refusal,
  type Scope,
  type ScopeWanted,
  scopeRules,
  type UnixSeconds,
} from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/system-clock'
import type { Grant } from '../grant/grant.ts'
import type { GateRequest } from '../request/gate-request.ts'
import { type ReadRequest, readRequest } from '../request/read-request.ts'
import { namesKey } from '../revocations/held-news.ts'
import { type RevocationJudge, revocationJudge } from '../revocations/revocation-judge.ts'
import type { RevocationSource } from '../revocations/revocation-source.ts'
import { failureLimit } from '../token/failure-limit.ts'
import { tokenInvalid } from '../token/token-refusals.ts'
import { bearerVerifier } from '../token/verify-bearer.ts'
import { authorise } from './authorise.ts'
import type { GateOptions } from './options.ts'
import { settleOptions } from './settle-options.ts'

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
  const { allowPaths = [] } = options
  const { issuer, audience, keys, revocations, placeOf, leewaySeconds } = settled
  const judging = revocationJudge(revocations, options.withoutNews ?? 'refuse')
  const authority = new URL(audience).host
  const scopeWanted = scopeRules(options.rules)
  const failures = failureLimit(failuresPerMinute, () => clock() * 1000)
  const verify = bearerVerifier({ keys, issuer, audience, leewaySeconds, clock, failures })
  // A gate that asks for news without any request keeps its keys fresh, too.
  revocations.onAnswer(() => {
    const kids = [...(keys.known()?.keys() ?? [])]
    const list = revocations.latest()?.list
    // The hub signs with another key by now, which is fetched before a token comes with it.
    if (list !== undefined && kids.some((kid) => namesKey(list, kid))) void keys.refresh()
  })

  const judgeOwner = async (grant: Grant, good: ReturnType<typeof isStillGood>): Promise<Judged> =>
    (await good) === true ? { ok: true, grant } : refused(tokenInvalid('revoked'), grant)
  const judgeNews = (grant: Grant, takenBack: Refusal | undefined): Judged | Promise<Judged> => {
    if (takenBack !== undefined) return refused(takenBack, grant)
    const good = isStillGood(grant)
    return good === true ? { ok: true, grant } : judgeOwner(grant, good)
  }
  const judgeGrant = (grant: Grant | Refusal, now: UnixSeconds): Judged | Promise<Judged> => {
    if (isRefusal(grant)) return refused(grant)
    const takenBack = judging.judgeByNews(grant, now)
    if (!(takenBack instanceof Promise)) return judgeNews(grant, takenBack)
    return takenBack.then((late) => judgeNews(grant, late))
  }
  /** Answers at once where nothing is waited for: a promise costs a check of a seen token a tenth of its time. */
  const judgeBearer = ({ authorization, address }: Bearer): Judged | Promise<Judged> => {
    const now = clock()
    const verified = verify(authorization, address, now)
    // One reading of the clock for both, unless time passes between them.
    if (!(verified instanceof Promise)) return judgeGrant(verified, now)
    return verified.then((grant) => judgeGrant(grant, clock()))
  }
  const check = async (given: GateRequest): Promise<Checked> => {
    const request = readRequest(given, authority, allowPaths)
    if (isRefusal(request)) return refused(request)

    const place = placeOf(request)
    const wanted = strictest(scopeWanted, request.method, place?.judged ?? [request.path])

    const answer = judgeBearer(request)
    const judged = answer instanceof Promise ? await answer : answer
    if (!judged.ok) return judged
    const { grant } = judged
    const addressed = authorise(grant, wanted, place)
    if (isRefusal(addressed)) return refused(addressed, grant)
    const { path, prefix } = addressed
    return { ok: true, grant, path, prefix, query: request.query, wanted }
  }
  return {
    check,
    async judgeToken(token, address) {
      const judged = await judgeBearer({ authorization: [`Bearer ${token}`], address })
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

function strictest(wanted: ScopeWanted, method: string, paths: readonly NormalPath[]): Scope {
  return paths.some((path) => wanted(method, path) === 'write') ? 'write' : 'read'
}

function refused(refusal: Refusal, grant?: Grant): Refused {
  return { ok: false, refusal, ...(grant === undefined ? {} : { grant }) }
}
