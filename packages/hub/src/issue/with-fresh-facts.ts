/** Freshness around the steps of a request: they are taken by what is known, and again before anything is denied by it. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import type { AccessFacts, AccessQuestion } from '../access/look-up.ts'
import { sessionPrefix } from '../identity/hub-token.ts'
import { noKeyToSign } from '../keys/key-state.ts'
import {
  type AuthenticateDeps,
  authenticate,
  type Credentials,
  type DirectoryView,
  type Outcome,
} from './authenticate.ts'
import { checkToken, issueToken } from './issue-token.ts'

type Steps<Request, Deps, Result extends Outcome<unknown>> = (
  request: Request,
  view: DirectoryView,
  deps: Deps,
) => Promise<Result>

/**
 * Security boundary: no caller is refused by facts that may be older than the request, because a grant of a moment ago counts. Facts
 * that became too old while the request waited for them are asked for once more, too: a busy database is not away.
 */
function withFreshFacts<
  Request extends Credentials,
  Deps extends AuthenticateDeps,
  Result extends Outcome<unknown>,
>(steps: Steps<Request, Deps, Result>, mustBeCurrent = false) {
  return async (request: Request, deps: Deps): Promise<Result> => {
    const view = new RequestView(deps)
    const outcome = await steps(request, view, deps)
    const { isFresh, isCurrent } = view.stateFor(request)
    const isRefused = isRefusal(outcome.result)
    const isFinal = isFresh && (isCurrent || !(isRefused || mustBeCurrent))
    if (isFinal || isBesideFacts(outcome)) return countFailure(outcome, request, deps)
    view.renew()
    return countFailure(await steps(request, view, deps), request, deps)
  }
}

/** The road of every token, behind the one of requests that are known. */
export const issueFresh = withFreshFacts(issueToken)
export const checkFresh = withFreshFacts(checkToken)
/**
 * Reads the permission for a change from the database, not from a cache: a change cannot be undone.
 */
export const authenticateCurrently = withFreshFacts(authenticate, true)

const sessionPrefixes: ReadonlySet<string> = new Set([sessionPrefix])

class RequestView implements DirectoryView {
  readonly deps: AuthenticateDeps
  #found: AccessFacts | undefined
  #isAnew = false
  #isCounted = false

  constructor(deps: AuthenticateDeps) {
    this.deps = deps
  }

  /** A prefix that is not known may have been configured at another hub a moment ago; one that is known stays. */
  prefixes() {
    if (this.deps.isOfSession) return sessionPrefixes
    const wasRead = this.#found !== undefined
    return this.#isAnew && !wasRead ? this.deps.currentPrefixes() : this.deps.knownPrefixes()
  }

  async findAccess(question: AccessQuestion) {
    const { isOfSession = false } = this.deps
    this.#found = await this.deps.findAccess({ ...question, isOfSession, anew: this.#isAnew })
    return this.#found
  }

  countOnce(count: () => Refusal | undefined) {
    if (this.#isCounted) return undefined
    this.#isCounted = true
    return count()
  }

  /** A credential that could not be read is as old as the prefixes; where there is none, nothing was asked. */
  stateFor({ sent }: Credentials) {
    const found = this.#found
    if (found === undefined) return { isFresh: true, isCurrent: sent.isAbsent }
    return { isFresh: this.deps.isFresh(found.learned), isCurrent: found.isCurrent }
  }

  renew() {
    this.#isAnew = true
  }
}

/** Newer facts would not change these refusals. */
function isBesideFacts({ result }: Outcome<unknown>): boolean {
  return result === noKeyToSign || (isRefusal(result) && result.code === 'rate_limited')
}

function countFailure<Result extends Outcome<unknown>>(
  outcome: Result,
  { sent, address }: Credentials,
  { accounts, limits }: AuthenticateDeps,
): Result {
  const { result } = outcome
  if (!isRefusal(result)) return outcome
  if (result.code !== 'hub_token_missing' && result.code !== 'hub_token_invalid') return outcome
  if (sent.hash !== undefined) accounts.forget(sent.hash)
  const limited = limits.forFailure(address())
  return limited === undefined ? outcome : { ...outcome, result: limited }
}
