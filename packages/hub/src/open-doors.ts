/** Builds what a hub serves and opens the sockets it serves it on. */

import { openApiDocument } from '@latchkey/admin-api'
import { type Clock, isRefusal, refuse, storageAddress } from '@latchkey/protocol'
import { clientAddress } from '@latchkey/service/client-address'
import type { Stopwatch } from '@latchkey/service/limiter'
import { type Listener, listen, type Serve } from '@latchkey/service/listener'
import { failureOf } from '@latchkey/service/log'
import type { RandomBytes } from '@latchkey/service/random'
import { jwksOf } from '@latchkey/token/signing'
import packageJson from '../package.json' with { type: 'json' }
import type { AdminPorts } from './admin/ports.ts'
import { registerAdmin } from './admin/register-admin.ts'
import { findWhoami } from './directory/nouns/whoami.ts'
import { type HubCors, hubCors } from './http/cors.ts'
import { createApp } from './http/create-app.ts'
import { registerDocuments } from './http/documents.ts'
import { frontDoor } from './http/front-door.ts'
import { type Identify, identifyBy } from './http/identify.ts'
import { registerOperations, type Watched } from './http/operations-routes.ts'
import { serveTokenRequest } from './http/serve-token-request.ts'
import { registerWhoami } from './http/whoami-route.ts'
import { writeDown } from './http/write-down.ts'
import type { Issuing } from './issue/issue-token.ts'
import { requestLimits } from './issue/request-limits.ts'
import type { KeyRing } from './keys/key-ring.ts'
import { logAdminCall } from './operations/admin-call.ts'
import type { LastUse } from './operations/last-use.ts'
import type { HubLog } from './operations/log-events.ts'
import type { Metrics } from './operations/metrics.ts'
import type { HubSettings } from './settings.ts'
import type { Store } from './stores/store.ts'

export interface Inside {
  readonly settings: HubSettings
  readonly store: Store
  readonly keys: KeyRing
  readonly uses: LastUse
  readonly log: HubLog
  readonly metrics: Metrics
  readonly clock: Clock
  readonly stopwatch: Stopwatch
  readonly randomBytes: RandomBytes
}

export interface Doors {
  readonly url: string
  readonly operationsUrl: string | undefined
  close(deadlineSeconds: number): Promise<void>
}

export async function openDoors(inside: Inside): Promise<Doors> {
  const { settings, store, keys, log, metrics, clock, randomBytes } = inside
  const watched: Watched = { metrics, isReady: store.isReady }
  const compatible = settings.compat.huggingface
  const cors = hubCors(settings.cors.origins, compatible)
  const addressOf = clientAddress(settings.trustedProxies)
  const issuing = issuingOf(inside)

  const app = createApp({ randomBytes, cors, log })
  const openApi = openApiDocument({
    publicUrl: settings.publicUrl,
    version: packageJson.version,
  })
  registerDocuments(app, { jwks: jwksOf(keys.published), openApi })
  const identify = identifyBy(issuing, addressOf, clock)
  const find = (id: string) => store.readBeside((tables) => findWhoami(tables, id))
  registerWhoami(app, { identify, find, compatible, log, metrics })
  registerAdmin(app, adminPorts(inside, issuing, identify))
  if (settings.operations.port === undefined) registerOperations(app, watched)
  await app.ready()

  const serveToken = serveTokenRequest({
    issuing,
    cors,
    clientAddress: addressOf,
    clock,
    randomBytes,
    log,
    writeDown: writeDown(log, metrics),
  })
  const serve = frontDoor({
    cors,
    compatible,
    randomBytes,
    serveToken,
    serveRest: app.routing,
    log,
  })
  const operations = await openOperations(inside, watched, cors)
  const main = await openDoor(inside, settings, serve).catch(async (error) => {
    await operations?.stop(0)
    throw error
  })
  return {
    url: main.url,
    operationsUrl: operations?.url,
    async close(deadlineSeconds) {
      await Promise.all([main.stop(deadlineSeconds), operations?.stop(deadlineSeconds)])
      await app.close()
    },
  }
}

/** The listener of its own for those who watch, if the operator wants one. */
async function openOperations(
  inside: Inside,
  watched: Watched,
  cors: HubCors,
): Promise<Listener | undefined> {
  const { host, port } = inside.settings.operations
  if (port === undefined) return undefined
  const app = createApp({ ...inside, cors })
  registerOperations(app, watched)
  await app.ready()
  return openDoor(inside, { host, port }, app.routing)
}

function openDoor(
  { settings, randomBytes, stopwatch }: Inside,
  { host, port }: { readonly host: string; readonly port: number },
  serve: Serve,
): Promise<Listener> {
  return listen({
    name: 'hub',
    host,
    port,
    connections: settings.limits.connections,
    hosts: [new URL(settings.publicUrl).hostname, ...settings.allowedHosts],
    randomBytes,
    stopwatch,
    serve,
    unknownMethod: refuse(
      'method_not_allowed',
      'This method is not known here. Use GET for a storage token.',
      { allow: 'GET, HEAD' },
    ),
  })
}

function issuingOf({ settings, store, keys, uses, stopwatch, randomBytes }: Inside): Issuing {
  return {
    findAccess: store.findAccess,
    knownPrefixes: store.knownPrefixes,
    limits: requestLimits(settings.limits, stopwatch),
    noteUse: uses.note,
    admitsAnonymous: settings.anonymousPublicRead,
    policy: { hidePrivateRepositories: settings.hidePrivateRepositories },
    compatible: settings.compat.huggingface,
    mint: {
      issuer: settings.publicUrl,
      storage: storageAddress(settings.casUrl),
      lifetimeSeconds: settings.token.lifetimeSeconds,
      signingKey: () => keys.signing,
      randomBytes,
    },
  }
}

function adminPorts(
  { settings, store, log, metrics, clock, randomBytes }: Inside,
  issuing: Issuing,
  identify: Identify,
): AdminPorts {
  return {
    directory: store.directory,
    findRepository: store.findRepository,
    policy: issuing.policy,
    hubTokenPrefix: settings.hubTokenPrefix,
    clock,
    randomBytes,
    async authenticate(request) {
      const { result } = await identify(request)
      return isRefusal(result) ? result : result.caller
    },
    logAdminCall(call) {
      metrics.adminCalled(call.verb, call.code ?? 'done')
      logAdminCall(log, call)
    },
    logFailure: (error, requestId) => log('request_failed', { requestId, ...failureOf(error) }),
  }
}
