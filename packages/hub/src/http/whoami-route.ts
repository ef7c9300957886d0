import type { IncomingMessage } from 'node:http'
import type { Whoami } from '@latchkey/admin-api'
import { type HubTokenId, isRefusal } from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/addresses'
import { serveLogged } from '@latchkey/service/http/call'
import type { Handle } from '@latchkey/service/http/routes'
import { invalidHubToken } from '../identity/identify-caller.ts'
import type { Outcome } from '../issue/authenticate.ts'
import type { HubLog } from '../operations/log-events.ts'
import type { Metrics } from '../operations/metrics.ts'
import type { Identify } from './identify.ts'

export interface WhoamiDeps {
  readonly identify: Identify
  readonly clientAddress: ClientAddress
  /** Undefined when the hub token was taken away after it was recognised. */
  find(hubTokenId: HubTokenId): Promise<Whoami | undefined>
  readonly log: HubLog
  readonly metrics: Metrics
}

export function serveWhoami({ clientAddress, log, metrics, ...deps }: WhoamiDeps): Handle {
  const identify = (request: IncomingMessage) => tellWhose(request, deps)
  return async (call) => {
    const result = await serveLogged(call, {
      clientAddress,
      identify,
      work: async (whoami: Whoami) => whoami,
      log(result, caller, end) {
        const code = isRefusal(result) ? result.code : undefined
        metrics.whoamiAsked(code ?? 'told')
        log('whoami_requested', {
          outcome: code === undefined ? 'told' : 'refused',
          code,
          subject: caller?.accountId,
          account: caller?.accountName,
          hubToken: caller?.hubTokenId,
          ...end,
        })
      },
    })
    return isRefusal(result) ? result : { body: JSON.stringify(result) }
  }
}

async function tellWhose(
  request: IncomingMessage,
  { identify, find }: Pick<WhoamiDeps, 'identify' | 'find'>,
): Promise<Outcome<Whoami>> {
  const { result, ...logFields } = await identify(request)
  if (isRefusal(result)) return { result, ...logFields }
  const found = await find(result.caller.hubTokenId)
  return { result: found ?? invalidHubToken(), ...logFields }
}
