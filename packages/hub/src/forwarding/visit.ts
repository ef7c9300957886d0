/** Tells the forge whose browser asks for a page, without the session itself. */

import type { IncomingMessage } from 'node:http'
import { type Clock, pathOf } from '@latchkey/protocol'
import { acceptsHtml } from '@latchkey/service/http/headers'
import type { Tickets } from '../link/tickets.ts'
import type { SessionPort } from '../sign-in/session-port.ts'

export interface Visit {
  /** For the forge, names and values in turn. */
  readonly headers: readonly string[]
  /** For the browser. */
  readonly answerHeaders: readonly string[]
}

export interface VisitDeps {
  readonly sessions: Pick<SessionPort, 'findVisitor'>
  readonly tickets: Pick<Tickets, 'make'>
  readonly clock: Clock
}

const nobody: Visit = { headers: [], answerHeaders: [] }

export async function visitOf(
  request: IncomingMessage,
  { sessions, tickets, clock }: VisitDeps,
): Promise<Visit> {
  if (!opensPage(request)) return nobody
  const { session, secret, clearCookie } = await sessions.findVisitor(request)
  const varies = ['Vary', 'Cookie', ...clearCookie]
  if (session === undefined || secret === undefined) return { headers: [], answerHeaders: varies }
  return {
    headers: ['Latchkey-Ticket', tickets.make(secret, clock())],
    // No cache may show the page to another person.
    answerHeaders: [...varies, 'Cache-Control', 'no-store'],
  }
}

/** Security boundary: a session counts for pages that a person opens, and for no route of the API, git or LFS. */
export function opensPage({ method, url = '', headers }: IncomingMessage): boolean {
  if (!asksForPage({ method, headers }) || headers.authorization !== undefined) return false
  const path = pathOf(url)
  return !/^\/api(?:\/|$)/i.test(path) && !/(?:\.|%2e)git(?:\/|%2f|$)/i.test(path)
}

/** Browsers name the destination in every request to an origin with TLS; programs do not. */
export function comesFromBrowser(request: IncomingMessage): boolean {
  return request.headers['sec-fetch-dest'] !== undefined || opensPage(request)
}

/** Whether a refusal is shown as a page. */
export function asksForPage({
  method,
  headers,
}: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return (method === 'GET' || method === 'HEAD') && acceptsHtml(headers.accept)
}
