/** Refusals in place of a response of the forge: as it sends them itself, or as a page for a browser. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerRefusal, type Refusal, titleOf } from '@latchkey/protocol'
import { html, htmlType, isHtml } from '@latchkey/service/http/html'
import { endAfterRequest } from '@latchkey/service/http/response-end'
import { signInPage } from '../sign-in/page-reply.ts'
import { asksForPage } from './visit.ts'

export interface RefusedExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  readonly publicUrl: string
  /** Header lines of every response, for example for CORS. */
  readonly headers: readonly string[]
  /** Then the client has not sent its body. */
  readonly waitsForContinue: boolean
}

export function refuseContent(refusal: Refusal, exchange: RefusedExchange): void {
  const { request, response, headers, waitsForContinue } = exchange
  const answer = answerRefusal(refusal, { requestId: exchange.requestId, plainJson: true })
  const [own, body] = asksForPage(request)
    ? pageOf(refusal, answer.headers, exchange)
    : [answer.headers, answer.body]
  // The rest of a body that is not read to its end would be taken for the next request.
  if (!request.complete) response.shouldKeepAlive = false
  response.writeHead(answer.status, [...own, ...headers])
  if (waitsForContinue) response.end(body)
  else endAfterRequest(request, response, body)
}

function pageOf(
  refusal: Refusal,
  headers: readonly string[],
  { publicUrl }: RefusedExchange,
): readonly [headers: readonly string[], body: string] {
  const title = titleOf[refusal.code]
  const page = signInPage({ title, main: html`<p>${refusal.detail}</p>\n` }, publicUrl)
  const body = isHtml(page.body) ? page.body.markup : ''
  const ofPage = ['Content-Type', htmlType, 'Content-Length', String(Buffer.byteLength(body))]
  const isReplaced = (name = '') => ofPage.includes(name)
  const rest = headers.filter((_, at) => !isReplaced(headers[at - (at % 2)]))
  return [[...rest, ...ofPage, ...(page.headers ?? [])], body]
}
