/** The route that tells whose hub token a request carries. */

import type { IncomingMessage } from 'node:http'
import type { Whoami } from '@latchkey/admin-api'
import { type HubTokenId, isRefusal } from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/client-address'
import type { Handle } from '@latchkey/service/http/serve-routes'
import { invalidHubToken } from '../identity/identify-caller.ts'
import type { Outcome } from '../issue/authenticate.ts'
import type { HubLog } from '../operations/log-events.ts'
import type { Metrics } from '../operations/metrics.ts'
import type { Identify } from './identify.ts'

export interface WhoamiPorts {
  readonly identify: Identify
  readonly clientAddress: ClientAddress
  /** Undefined when the hub token was taken away after it was recognised. */
  find(hubTokenId: HubTokenId): Promise<Whoami | undefined>
  readonly log: HubLog
  readonly metrics: Metrics
}

export function serveWhoami(ports: WhoamiPorts): Handle {
  return async (call) => {
    const started = performance.now()
    const told = await call.attempt(() => tellWhose(call.request, ports))
    const outcome = isRefusal(told) ? { result: told } : told
    writeDown(outcome, ports, {
      address: ports.clientAddress(call.request),
      requestId: call.requestId,
      milliseconds: Math.round((performance.now() - started) * 1000) / 1000,
    })
    const { result } = outcome
    return isRefusal(result) ? result : { body: JSON.stringify(result) }
  }
}

async function tellWhose(
  request: IncomingMessage,
  { identify, find }: WhoamiPorts,
): Promise<Outcome<Whoami>> {
  const { result, ...asked } = await identify(request)
  if (isRefusal(result)) return { result, ...asked }
  const found = await find(result.caller.hubTokenId)
  return { result: found ?? invalidHubToken(), ...asked }
}

function writeDown(
  { result, caller, refusedCaller = caller }: Outcome<Whoami>,
  { log, metrics }: WhoamiPorts,
  measured: { readonly address: string; readonly requestId: string; readonly milliseconds: number },
): void {
  const code = isRefusal(result) ? result.refused : undefined
  metrics.whoamiAsked(code ?? 'told')
  log('whoami_asked', {
    outcome: code === undefined ? 'told' : 'refused',
    code,
    subject: refusedCaller?.accountId,
    account: refusedCaller?.accountName,
    hubToken: refusedCaller?.hubTokenId,
    ...measured,
  })
}
