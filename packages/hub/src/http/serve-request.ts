import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseTokenPath, type Refusal, refuse } from '@latchkey/protocol'
import type { Serve } from '@latchkey/service/http/call'
import { newId, type RandomBytes } from '@latchkey/service/machine/random'
import { asksBeforehand, type HubCors } from './cors.ts'
import type { ServeTokenRequest } from './serve-token-request.ts'

export interface ServeRequestDeps {
  readonly cors: HubCors
  readonly randomBytes: RandomBytes
  readonly serveToken: ServeTokenRequest
  readonly serveRoute: Serve
  /** The forge, for targets that are not the hub's own. */
  readonly forwarding: { isFor(target: string): boolean; readonly serve: ServeAll } | undefined
  /** For what the forge answers. */
  readonly contentCors: HubCors
}

/** `waitsForContinue`: the client sends its body once it is told to. */
export type ServeAll = (
  request: IncomingMessage,
  response: ServerResponse,
  waitsForContinue?: boolean,
) => void

export function serveRequest(deps: ServeRequestDeps): ServeAll {
  const { cors, randomBytes, serveToken, serveRoute, forwarding, contentCors } = deps
  return (request, response, waitsForContinue = false) => {
    const { url = '' } = request
    // A client that is answered before it sends its body may take the connection for free.
    const keepsAlive = response.shouldKeepAlive
    if (waitsForContinue) response.shouldKeepAlive = false
    if (asksBeforehand(request)) {
      const rules = forwarding?.isFor(url) ? contentCors : cors
      answerPreflight(response, rules.preflightHeadersFor(request), newId(randomBytes))
    } else if (serveToken(request, response)) {
      return
    } else if (forwarding?.isFor(url)) {
      response.shouldKeepAlive = keepsAlive
      forwarding.serve(request, response, waitsForContinue)
    } else {
      if (waitsForContinue) response.writeContinue()
      serveRoute(request, response)
    }
  }
}

function answerPreflight(
  response: ServerResponse,
  headers: readonly string[],
  requestId: string,
): void {
  response.writeHead(204, [...headers, 'X-Request-Id', requestId, 'Cache-Control', 'no-store'])
  response.end()
}

/** Clients of Hugging Face show the sentence as it is, so it speaks to their users too. */
export function noRoute(target: string, nothing = nothingHere): Refusal {
  return parseTokenPath(target)?.word === 'xet' ? notCompatible : nothing
}

/** Where a forge has all paths that are not the hub's own. */
export const nothingOfItsOwn: Refusal = refuse(
  'not_found',
  'The hub has no route at this path, and keeps it from the forge. docs/reference/token-api.md and docs/reference/admin-api.md list its own.',
)

const tokenRoute =
  '/api/{models|datasets|spaces}/{namespace}/{name}/storage-{read|write}-token/{revision}'

const nothingHere = refuse(
  'not_found',
  `The hub has no route at this path. This is a Latchkey hub: it gives out storage tokens, at ${tokenRoute}, and does not serve the rest of a hub: files, trees, commits, new repositories. docs/reference/compatibility.md says what Hugging Face clients also need.`,
)

const notCompatible = refuse(
  'not_found',
  `This Latchkey hub does not answer the token requests of Hugging Face clients, because it runs without --compat-huggingface. Its operator can turn that on; docs/guides/hugging-face-clients.md says how. The same token is at ${tokenRoute}.`,
)
