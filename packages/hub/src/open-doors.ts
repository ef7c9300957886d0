/** Builds what a hub serves and opens the sockets it serves it on. */

import type { Clock } from '@latchkey/protocol'
import { jwksOf } from '@latchkey/token'
import { clientAddress } from './http/client-address.ts'
import { type Cors, createCors } from './http/cors.ts'
import { createApp } from './http/create-app.ts'
import { registerDocuments } from './http/documents.ts'
import { frontDoor, refuseWhileStopping } from './http/front-door.ts'
import { type Listener, listen, type Serve } from './http/listener.ts'
import { answerMalformed } from './http/malformed-request.ts'
import { registerOperations, type Watched } from './http/operations-routes.ts'
import { serveTokenRequest } from './http/serve-token-request.ts'
import { writeDown } from './http/write-down.ts'
import { newId, type RandomBytes } from './identity/random.ts'
import type { Issuing } from './issue/issue-token.ts'
import { requestLimits, type Stopwatch } from './issue/request-limits.ts'
import type { KeyRing } from './keys/key-ring.ts'
import { storageAddress } from './minting/storage-address.ts'
import type { LastUse } from './operations/last-use.ts'
import type { Log } from './operations/log.ts'
import { createMetrics } from './operations/metrics.ts'
import type { HubSettings } from './settings.ts'
import type { Store } from './stores/store.ts'

export interface Inside {
  readonly settings: HubSettings
  readonly store: Store
  readonly keys: KeyRing
  readonly uses: LastUse
  readonly log: Log
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
  const { settings, store, keys, log, clock, randomBytes } = inside
  const metrics = createMetrics()
  const compatible = settings.compat.huggingface
  const cors = createCors(settings.cors.origins, compatible)
  const watched: Watched = { metrics, isReady: () => isReady(store) }
  const app = createApp({ randomBytes, cors, log })
  registerDocuments(app, { jwks: jwksOf(keys.published), openApi: {} })
  if (settings.operations.port === undefined) registerOperations(app, watched)
  await app.ready()

  const serveToken = serveTokenRequest({
    issuing: issuingOf(inside),
    cors,
    clientAddress: clientAddress(settings.trustedProxies),
    clock,
    randomBytes,
    log,
    writeDown: writeDown(log, metrics),
  })
  const serve = frontDoor({ cors, compatible, randomBytes, serveToken, serveRest: app.routing })
  const main = await openDoor(inside, settings, serve)
  const operations = await openOperations(inside, watched, cors)
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
  cors: Cors,
): Promise<Listener | undefined> {
  const { host, port } = inside.settings.operations
  if (port === undefined) return undefined
  const app = createApp({ ...inside, cors })
  registerOperations(app, watched)
  await app.ready()
  return openDoor(inside, { host, port }, app.routing)
}

function openDoor(
  { settings, randomBytes }: Inside,
  { host, port }: { readonly host: string; readonly port: number },
  serve: Serve,
): Promise<Listener> {
  return listen({
    host,
    port,
    connections: settings.limits.connections,
    serve,
    rejectMalformed: (error) => answerMalformed(error, newId(randomBytes)),
    rejectStopping: refuseWhileStopping(randomBytes),
  })
}

function issuingOf({ settings, store, keys, uses, stopwatch, randomBytes }: Inside): Issuing {
  return {
    findAccess: store.findAccess,
    knownPrefixes: store.knownPrefixes,
    limits: requestLimits(settings.limits, stopwatch),
    noteUse: uses.note,
    policy: {
      hidePrivateRepositories: settings.hidePrivateRepositories,
      anonymousPublicRead: settings.anonymousPublicRead,
      compatible: settings.compat.huggingface,
    },
    mint: {
      issuer: settings.publicUrl,
      storage: storageAddress(settings.casUrl),
      lifetimeSeconds: settings.token.lifetimeSeconds,
      signingKey: () => keys.signing,
      randomBytes,
    },
  }
}

async function isReady({ directory }: Store): Promise<boolean> {
  try {
    await directory.read((tables) => tables.selectFrom('settings').selectAll().limit(1).execute())
    return true
  } catch {
    return false
  }
}
