/** One log line and one measurement for every decision about a token. */

import { type AnyId, isRefusal, type TokenPath } from '@latchkey/protocol'
import type { LogMembers } from '@latchkey/service/observe/log'
import type { Outcome } from '../issue/authenticate.ts'
import type { GrantedRequest } from '../issue/issue-token.ts'
import type { KnownRequest } from '../issue/with-known.ts'
import { loggedRequest } from '../issue/with-known.ts'
import type { MintedToken } from '../minting/mint-token.ts'
import type { HubLog } from '../operations/log-events.ts'
import type { Metrics } from '../operations/metrics.ts'

/** Under which id a request was answered, and how long that took. */
export interface RequestOutcome {
  readonly requestId: AnyId
  readonly milliseconds: number
  /** An IP address; of the client, where a trusted proxy names it. */
  readonly address: string
}

export interface WriteDown {
  outcome(
    outcome: Outcome<MintedToken | GrantedRequest>,
    path: TokenPath,
    answered: RequestOutcome,
  ): void
  /** The same line and measurement for a token that is issued to a known request. */
  issuedAgain(minted: MintedToken, request: KnownRequest, answered: RequestOutcome): void
}

export function writeDown(log: HubLog, metrics: Metrics): WriteDown {
  const issued = ({ jti }: MintedToken, { path, logged }: Logged, answered: RequestOutcome) => {
    metrics.tokenIssued(path.scope, answered.milliseconds / 1000)
    log('token_issued', members(`"outcome":"issued","jti":"${jti}"`, logged, answered))
  }
  return {
    issuedAgain: issued,
    outcome({ result, caller, refusedCaller }, path, answered) {
      const logged = loggedRequest(path, caller ?? refusedCaller)
      const seconds = answered.milliseconds / 1000
      if (isRefusal(result)) {
        metrics.tokenRefused(result.code, seconds)
        const outcome = `"outcome":"refused","code":"${result.code}"`
        log('token_refused', members(outcome, logged, answered))
      } else if ('accessToken' in result) {
        issued(result, { path, logged }, answered)
      } else {
        metrics.tokenChecked(seconds)
        log('token_checked', members('"outcome":"permitted"', logged, answered))
      }
    },
  }
}

type Logged = Pick<KnownRequest, 'path' | 'logged'>

/** Put together by hand, because every request waits for its own. Codes and ids need no escaping and hide no secret. */
function members(
  outcome: string,
  logged: LogMembers,
  { requestId, milliseconds, address }: RequestOutcome,
): LogMembers {
  const rounded = Math.round(milliseconds * 1000) / 1000
  const own = `"address":"${address}","requestId":"${requestId}","milliseconds":${rounded}`
  return `${outcome},${logged},${own}` as LogMembers
}
