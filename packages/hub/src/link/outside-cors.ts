/** Keeps the link out of CORS: no browser has business there, whatever origins an operator allows. */

import type { IncomingMessage } from 'node:http'
import { linkPrefix } from '@latchkey/admin-api'
import { pathOf } from '@latchkey/protocol'
import type { HubCors } from '../http/cors.ts'

export function outsideCors({ headersFor, preflightHeadersFor }: HubCors): HubCors {
  return {
    headersFor: (request) => (isLink(request) ? [] : headersFor(request)),
    preflightHeadersFor: (request) => (isLink(request) ? [] : preflightHeadersFor(request)),
  }
}

function isLink({ url = '' }: IncomingMessage): boolean {
  return pathOf(url).startsWith(`${linkPrefix}/`)
}
