/** The public route for leaked tokens, made from the parts of a running hub. */

import type { ClientAddress } from '@latchkey/service/http/client-address'
import type { Route } from '@latchkey/service/http/serve-routes'
import { failureOf } from '@latchkey/service/observe/log'
import type { Issuing } from '../issue/issue-token.ts'
import { logRevoked, logRevokePost } from '../operations/revoke-post.ts'
import { commitWindows } from '../revocation/report/commit-windows.ts'
import { reportLimits } from '../revocation/report/report-limits.ts'
import { reportedRevoker } from '../revocation/report/revoke-reported.ts'
import { ringKeys } from '../revocation/report/ring-keys.ts'
import { serveRevoke } from '../revocation/report/serve-revoke.ts'
import { reportVerifier } from '../revocation/report/verify-report.ts'
import type { HubContext } from './hub-context.ts'

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
