/** Queues requests while a hub has more of them than it can answer. */

import type { IncomingMessage } from 'node:http'
import { linkPrefix } from '@latchkey/admin-api'
import { answerRefusal } from '@latchkey/protocol'
import { clientAddress, networkOf } from '@latchkey/service/http/addresses'
import { wantsPlainJson } from '@latchkey/service/http/headers'
import type { ListenerQueue } from '@latchkey/service/http/listener'
import { overloadRefusal } from '@latchkey/service/http/refusals'
import { newId } from '@latchkey/service/machine/random'
import type { HubCors } from '../http/cors.ts'
import { sentCredential } from '../http/identify.ts'
import { hashHubToken } from '../identity/hub-token.ts'
import type { IssueDeps } from '../issue/issue-token.ts'
import { refusalAsOAuth } from '../oauth/oauth-answer.ts'
import type { HubContext } from './hub-context.ts'

/** Clients wait longer than this. With the time for the answer itself it is below 2 s. */
const maxWaitMs = 1500

/** An overload is a line in the log as often as this, not one for each request. */
const pauseMs = 10_000

type Telling = Pick<HubContext, 'log' | 'metrics' | 'stopwatch'>
type Queueing = Telling &
  Pick<HubContext, 'embedded' | 'embeddedForge' | 'forgetVersion' | 'randomBytes' | 'settings'>

export function overloadQueue(
  context: Queueing,
  cors: HubCors,
  { accounts, limits }: Pick<IssueDeps, 'accounts' | 'limits'>,
): ListenerQueue {
  const { embedded, embeddedForge, forgetVersion, randomBytes, settings } = context
  const tell = tellOf(context)
  const addressOf = clientAddress(settings.trustedProxies)
  const embeddedHashes = [embedded, embeddedForge].map(({ credential }) => hashHubToken(credential))
  /** The hash of the credential of a storage or a forge, where its request belongs to the link. */
  const serviceOf = (request: IncomingMessage) => {
    if (!isLink(request)) return undefined
    const { hash } = sentCredential(request)
    if (hash === undefined) return undefined
    return embeddedHashes.includes(hash) || accounts.isOfService(hash) ? hash : undefined
  }
  const accountOf = (request: IncomingMessage) => {
    const { hash } = sentCredential(request)
    // A flow of its own: the account's token requests do not delay its storage or forge.
    return hash && (serviceOf(request) ?? accounts.of(hash))
  }
  return {
    maxWaitMs,
    accountOf,
    // Where failures have reached their limit, hub tokens that are not known come after everyone else.
    isLimited: (request) =>
      accountOf(request) === undefined && limits.isReached(networkOf(addressOf(request))),
    // What gates, storages and forges ask: without it they refuse requests of their own, and an overload would spread.
    goesFirst: (request) =>
      request.url?.startsWith('/.well-known/') === true || serviceOf(request) !== undefined,
    onSlice: forgetVersion,
    refuse(request, response) {
      tell()
      // It may take the connection for free without having sent its body.
      if (request.headers.expect !== undefined) response.shouldKeepAlive = false
      const requestId = newId(randomBytes)
      if (isOAuth(request)) {
        // Its clients read the code of an error, and take some codes for the end of their sign-in.
        const { status, headers = [], body } = refusalAsOAuth(overloadRefusal('hub')).reply
        const own = ['Content-Type', 'application/json', 'X-Request-Id', requestId]
        response.writeHead(status ?? 503, [...own, 'Cache-Control', 'no-store', ...headers])
        response.end(String(body))
        return
      }
      const plainJson = settings.compat.huggingface || wantsPlainJson(request.headers.accept)
      const { status, headers, body } = answerRefusal(overloadRefusal('hub'), {
        requestId,
        plainJson,
      })
      response.writeHead(status, headers.concat(cors.headersFor(request)))
      response.end(body)
    },
  }
}

function tellOf({ log, metrics, stopwatch }: Telling): () => void {
  let refused = 0
  let toldAt = Number.NEGATIVE_INFINITY
  return () => {
    metrics.requestOverloaded()
    refused += 1
    if (stopwatch() - toldAt < pauseMs) return
    toldAt = stopwatch()
    log('overloaded', { refused })
    refused = 0
  }
}

function isLink({ url = '' }: IncomingMessage): boolean {
  return url.startsWith(`${linkPrefix}/`)
}

function isOAuth({ url = '' }: IncomingMessage): boolean {
  return url.startsWith('/oauth/')
}
