/** A request for the forge: admitted to a slot, handed on, written down. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { isRefusal, type Refusal, statusOf } from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/addresses'
import { type InOrder, serveInOrder } from '@latchkey/service/http/call'
import { type Ending, forwardedHeaders } from '@latchkey/service/http/forwarding'
import { internalError, unavailableRefusal } from '@latchkey/service/http/refusals'
import { isOver } from '@latchkey/service/http/response-end'
import type { Release } from '@latchkey/service/limits/shares'
import { newId, type RandomBytes } from '@latchkey/service/machine/random'
import { answerHeaders, headersForForge } from './forge-headers.ts'
import type { ForgeSlots } from './forge-slots.ts'
import { type ForgeUpstream, forgeDown } from './forge-upstream.ts'
import { forwardedTarget } from './own-paths.ts'
import { refuseContent } from './refuse-content.ts'
import { comesFromBrowser, type Visit, type VisitDeps, visitOf } from './visit.ts'
import type { ForgeWriteDown } from './write-down.ts'

export interface ServeForgeDeps extends VisitDeps {
  readonly publicUrl: string
  readonly slots: ForgeSlots
  readonly upstream: Pick<ForgeUpstream, 'forward'>
  readonly clientAddress: ClientAddress
  readonly randomBytes: RandomBytes
  /** Header lines that go with every answer, names and values in turn. */
  readonly headersFor: (request: IncomingMessage) => readonly string[]
  readonly writeDown: ForgeWriteDown
  readonly logFailure: (error: unknown, requestId?: string) => void
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  readonly address: string
  readonly waitsForContinue: boolean
}

export function serveForge(deps: ServeForgeDeps): InOrder {
  const { clientAddress, randomBytes, writeDown } = deps
  const ownHeadersOf = forwardedHeaders(deps.publicUrl)
  return serveInOrder(async (request, response, waitsForContinue) => {
    const started = performance.now()
    const requestId = newId(randomBytes)
    const address = clientAddress(request)
    const exchange = { request, response, requestId, address, waitsForContinue }
    const ending = await handOn(exchange, ownHeadersOf({ requestId, address }), deps)
    const { refusal } = ending
    const status = ending.status ?? (refusal && statusOf[refusal.code])
    const milliseconds = performance.now() - started
    writeDown({ ...ending, status }, { request, requestId, address, milliseconds })
  }, deps.logFailure)
}

async function handOn(
  exchange: Exchange,
  forwarded: readonly string[],
  deps: ServeForgeDeps,
): Promise<Ending> {
  const { request, response } = exchange
  const release = await deps.slots.take(request, response).catch(() => undefined)
  if (release === undefined) return gone
  if (isRefusal(release)) return refuse(release, exchange, deps)
  try {
    const visit = await visitIn(exchange, deps)
    if (isRefusal(visit)) return refuse(visit, exchange, deps)
    return await forward(exchange, { release, visit, forwarded }, deps)
  } finally {
    release()
  }
}

const gone: Ending = { status: undefined, cut: 'client' }

function refuse(refusal: Refusal, exchange: Exchange, deps: ServeForgeDeps): Ending {
  const { publicUrl, headersFor } = deps
  refuseContent(refusal, { ...exchange, publicUrl, headers: headersFor(exchange.request) })
  return { status: undefined, refusal }
}

async function visitIn(
  { request, requestId }: Exchange,
  deps: ServeForgeDeps,
): Promise<Visit | Refusal> {
  try {
    return await visitOf(request, deps)
  } catch (error) {
    const refusal = unavailableRefusal(error, 'hub')
    if (refusal !== undefined) return refusal
    deps.logFailure(error, requestId)
    return internalError('hub')
  }
}

interface Admitted {
  readonly release: Release
  readonly visit: Visit
  readonly forwarded: readonly string[]
}

async function forward(
  exchange: Exchange,
  { release, visit, forwarded }: Admitted,
  deps: ServeForgeDeps,
): Promise<Ending> {
  const { request, response, requestId, waitsForContinue } = exchange
  const send = deps.upstream.forward()
  const target = forwardedTarget(request.url ?? '')
  if (send === undefined || target === undefined) return refuse(forgeDown, exchange, deps)
  if (isOver(response)) return gone
  if (waitsForContinue) response.writeContinue()
  // The deadlines watch this request; the listener sets its own timeout again for the next one.
  request.socket.setTimeout(0)
  const isForBrowser = comesFromBrowser(request)
  const own = ['X-Request-Id', requestId, ...visit.answerHeaders, ...deps.headersFor(request)]
  return send({
    request,
    response,
    target,
    headers: [...headersForForge(request.rawHeaders), ...forwarded, ...visit.headers],
    answerHeaders: (answered) => answerHeaders(answered, { own, isForBrowser }),
    refuse(refusal) {
      // The client may take its time to read it.
      release()
      refuse(refusal, { ...exchange, waitsForContinue: false }, deps)
    },
  })
}
