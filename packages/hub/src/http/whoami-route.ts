/** The route that tells whose hub token a request carries. */

import type { IncomingMessage } from 'node:http'
import type { Whoami } from '@latchkey/admin-api'
import { isRefusal } from '@latchkey/protocol'
import { failureOf } from '@latchkey/service/log'
import type { FastifyInstance } from 'fastify'
import { invalidHubToken } from '../identity/identify-caller.ts'
import type { Outcome } from '../issue/authenticate.ts'
import type { HubLog } from '../operations/log-events.ts'
import type { Metrics } from '../operations/metrics.ts'
import { hubFailed } from './hub-failed.ts'
import type { Identify } from './identify.ts'
import { sendRefusal } from './send-refusal.ts'

export interface WhoamiPorts {
  readonly identify: Identify
  /** Undefined when the hub token was taken away after it was recognised. */
  find(hubTokenId: string): Promise<Whoami | undefined>
  /** In compatibility mode every refusal is plain JSON. */
  readonly compatible: boolean
  readonly log: HubLog
  readonly metrics: Metrics
}

export function registerWhoami(app: FastifyInstance, ports: WhoamiPorts): void {
  app.get('/api/whoami', async (request, reply) => {
    const started = performance.now()
    const outcome = await tellWhose(request.raw, ports).catch((error) => {
      ports.log('request_failed', { requestId: request.id, ...failureOf(error) })
      return { result: hubFailed() }
    })
    writeDown(outcome, ports, {
      requestId: request.id,
      milliseconds: Math.round((performance.now() - started) * 1000) / 1000,
    })
    const { result } = outcome
    if (isRefusal(result)) return sendRefusal(reply, result, ports)
    return reply.type('application/json').send(Buffer.from(JSON.stringify(result)))
  })
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
  { result, caller }: Outcome<Whoami>,
  { log, metrics }: WhoamiPorts,
  measured: { readonly requestId: string; readonly milliseconds: number },
): void {
  const code = isRefusal(result) ? result.refused : undefined
  metrics.whoamiAsked(code ?? 'told')
  log('whoami_asked', {
    outcome: code === undefined ? 'told' : 'refused',
    code,
    subject: caller?.accountId,
    account: caller?.accountName,
    hubToken: caller?.hubTokenId,
    ...measured,
  })
}
