import type { IncomingMessage } from 'node:http'
import { pathOf } from '@latchkey/protocol'
import type { Ending } from '@latchkey/service/http/forwarding'
import { shorten } from '@latchkey/service/observe/log'
import type { HubLog } from '../operations/log-events.ts'
import type { Metrics } from '../operations/metrics.ts'
import { forgeDown } from './forge-upstream.ts'

interface Exchanged {
  readonly request: IncomingMessage
  readonly requestId: string
  readonly address: string
  readonly milliseconds: number
}

export type ForgeWriteDown = (ending: Ending, exchanged: Exchanged) => void

const faults = { client: 'client', upstream: 'forge', us: 'hub' } as const

/** A forge that does not answer is a line in the log as often as this, not one for each request. */
const pauseMs = 10_000

/** No name is as long. A client may have put a sealed access token of the forge in the wrong place. */
const longSegment = /[^/]{129,}/g

interface Telling {
  readonly log: HubLog
  readonly metrics: Pick<Metrics, 'requestForwarded'>
  readonly stopwatch: () => number
}

export function forgeWriteDown({ log, metrics, stopwatch }: Telling): ForgeWriteDown {
  let isDown = false
  let toldAt = Number.NEGATIVE_INFINITY
  const note = (reason: string | undefined) => {
    if (stopwatch() - toldAt < pauseMs) return
    isDown = true
    toldAt = stopwatch()
    log('forge_unavailable', { reason: reason ?? 'it does not run' })
  }
  const noteAnswer = () => {
    if (!isDown) return
    isDown = false
    log('forge_recovered', {})
  }
  return ({ status, refusal, cut }, { request, requestId, address, milliseconds }) => {
    const outcome = cut === undefined ? (refusal?.code ?? 'forwarded') : 'cut'
    metrics.requestForwarded(
      outcome === 'forwarded' ? `${Math.floor((status ?? 0) / 100)}xx` : outcome,
    )
    if (outcome === 'forwarded') noteAnswer()
    else if (refusal?.detail === forgeDown.detail) note(refusal.reason)
    log('request_forwarded', {
      outcome,
      ...(cut !== undefined && { by: faults[cut] }),
      method: request.method?.slice(0, 32),
      path: shorten(pathOf(request.url ?? '').replace(longSegment, '…')),
      status,
      reason: refusal?.reason,
      address,
      requestId,
      milliseconds: Math.round(milliseconds * 1000) / 1000,
    })
  }
}
