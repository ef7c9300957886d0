/** The public route for leaked tokens, made from the parts of a running hub. */

import type { ClientAddress } from '@latchkey/service/client-address'
import { failureOf } from '@latchkey/service/log'
import type { Route } from '@latchkey/service/routes'
import type { HubContext } from './hub-context.ts'
import type { Issuing } from './issue/issue-token.ts'
import { logRevoked, logRevokePost } from './operations/revoke-post.ts'
import { commitWindows } from './revoke/commit-windows.ts'
import { reportLimits } from './revoke/report-limits.ts'
import { reportedRevoker } from './revoke/revoke-reported.ts'
import { ringKeys } from './revoke/ring-keys.ts'
import { serveRevoke } from './revoke/serve-revoke.ts'
import { reportVerifier } from './revoke/verify-report.ts'

/** None where the operator has turned it off. */
export function revokeRoutes(
  context: HubContext,
  { knownPrefixes }: Issuing,
  clientAddress: ClientAddress,
): readonly Route[] {
  const { settings, store, keys, verifyPartner, clock, stopwatch, log, metrics, counts } = context
  if (!settings.revoke.enabled) return []
  const { publicUrl: issuer } = settings
  const handle = serveRevoke({
    clientAddress,
    limits: reportLimits(stopwatch, counts),
    verifyPartner,
    verifyReport: reportVerifier({ knownPrefixes, keys: ringKeys(keys), issuer, clock }),
    join: commitWindows({
      commit: reportedRevoker({
        ...{ ...store, clock },
        onRevoked: (revoked) => logRevoked(log, revoked),
      }),
      onFailure: (error) => log('request_failed', failureOf(error)),
    }),
    logPost(post) {
      metrics.revokePosted(post.outcome)
      logRevokePost(log, post)
    },
  })
  return [{ method: 'POST', path: '/revoke', handle }]
}
