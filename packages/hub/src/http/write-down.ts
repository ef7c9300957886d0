/** One log line and one measurement for every decision about a token. */

import { formatRepoRef, formatRevision, isRefusal, type TokenPath } from '@latchkey/protocol'
import { shorten } from '@latchkey/service/log'
import type { Outcome } from '../issue/authenticate.ts'
import type { Granted } from '../issue/issue-token.ts'
import type { Minted } from '../minting/mint-token.ts'
import type { HubLog } from '../operations/log-events.ts'
import type { Metrics } from '../operations/metrics.ts'

export type WriteDown = (
  outcome: Outcome<Minted | Granted>,
  asked: { readonly path: TokenPath; readonly requestId: string },
  milliseconds: number,
) => void

export function writeDown(log: HubLog, metrics: Metrics): WriteDown {
  return ({ result, caller }, { path, requestId }, milliseconds) => {
    const fields = {
      subject: caller?.accountId,
      account: caller?.accountName,
      hubToken: caller?.hubTokenId,
      repository: path.repo === undefined ? undefined : formatRepoRef(path.repo),
      ref: shorten(formatRevision(path.revision)),
      scope: path.scope,
      requestId,
      milliseconds: Math.round(milliseconds * 1000) / 1000,
    }
    if (isRefusal(result)) {
      metrics.tokenRefused(result.refused, milliseconds / 1000)
      log('token_refused', { outcome: 'refused', code: result.refused, ...fields })
    } else if ('accessToken' in result) {
      metrics.tokenIssued(path.scope, milliseconds / 1000)
      log('token_issued', { outcome: 'issued', jti: result.jti, ...fields })
    } else {
      metrics.tokenChecked(milliseconds / 1000)
      log('token_checked', { outcome: 'permitted', ...fields })
    }
  }
}
