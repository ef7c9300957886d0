/** The routes of a hub; the token request is not among them, because it is matched by hand. */

import { openApiDocument } from '@latchkey/admin-api'
import { type HubTokenId, isRefusal, refuse } from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/addresses'
import { reasonOf } from '@latchkey/service/http/ask'
import { serveDocument } from '@latchkey/service/http/openapi'
import { operationsRoutes, type WatchedService } from '@latchkey/service/http/operations-routes'
import type { Handle, Route } from '@latchkey/service/http/routes'
import { limiter } from '@latchkey/service/limits/rate-limiter'
import { bodiesWithinHeap, shares } from '@latchkey/service/limits/shares'
import { machineUser } from '@latchkey/service/machine/data-directory'
import { failureOf } from '@latchkey/service/observe/log'
import { jwksOf } from '@latchkey/token/signing'
import packageJson from '../../package.json' with { type: 'json' }
import { type AdminDeps, adminRoutes } from '../admin/serve-admin.ts'
import { actAsCaller } from '../as-caller/act-as-caller.ts'
import { usualCreationRules } from '../as-caller/creation-rules.ts'
import type { AsCallerDeps } from '../as-caller/deps.ts'
import { outcomeOf } from '../forge/forge-operations.ts'
import { forgePlace } from '../forge/forge-place.ts'
import { type Identify, identifyBy } from '../http/identify.ts'
import { serveHuggingFaceWhoami, serveWhoami, type WhoamiDeps } from '../http/whoami-route.ts'
import { writeDown } from '../http/write-down.ts'
import type { IssueDeps } from '../issue/issue-token.ts'
import { type JournalWatch, journalWatch } from '../journal/journal-watch.ts'
import { findHead } from '../journal/read-journal.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { KeysOfPurpose } from '../keys/live-ring.ts'
import { keyCacheSeconds } from '../keys/waits.ts'
import { type ForgeRoutesDeps, forgeRoutes } from '../link/forge-routes.ts'
import { linkIdentifier } from '../link/identify-link.ts'
import { forgeLimits, linkLimits } from '../link/link-limits.ts'
import { type LinkDeps, linkRoutes } from '../link/link-routes.ts'
import { lostNumbers } from '../link/lost-number.ts'
import { tickets } from '../link/tickets.ts'
import { namespaceRoutes } from '../namespace-pages/namespace-routes.ts'
import { deviceClientsOf } from '../oauth/clients.ts'
import { devicePageRoutes } from '../oauth/device-page.ts'
import { oauthLimits } from '../oauth/oauth-limits.ts'
import { oauthRoutes } from '../oauth/oauth-routes.ts'
import {
  type AdminCall,
  logAdminCall,
  logLinkCall,
  logRevoked,
  logRevokePost,
} from '../operations/admin-call.ts'
import { publishRevocations, type RevocationPublisher } from '../revocation/publish/publish.ts'
import { commitWindows } from '../revocation/report/commit-windows.ts'
import { reportLimits } from '../revocation/report/report-limits.ts'
import { reportedRevoker } from '../revocation/report/revoke-reported.ts'
import { ringKeys } from '../revocation/report/ring-keys.ts'
import { serveRevoke } from '../revocation/report/serve-revoke.ts'
import { reportVerifier } from '../revocation/report/verify-report.ts'
import { type AccountLimit, accountLimit, namespaceLimit } from '../sign-in/account-limits.ts'
import { accountRoutes } from '../sign-in/account-routes.ts'
import { usualHubTokenPolicy } from '../sign-in/own-plans.ts'
import { attemptsPerMinute, type ProviderDeps, providerRoutes } from '../sign-in/provider-routes.ts'
import { usualGroupsMaxAgeSeconds } from '../sign-in/provider-settings.ts'
import { signInRoutes } from '../sign-in/sign-in-routes.ts'
import type { Store } from '../stores/store.ts'
import { exchangeGrants } from '../trusted-publishers/exchange-id-token.ts'
import { findWhoamiFacts } from '../verbs/hub-token-view.ts'
import type { HubContext } from './hub-context.ts'
import { verbWorkOf } from './verb-work.ts'

const headPath = '/.well-known/storage-revocations'

/** The public documents by which gates learn what was taken back. */
function revocationRoutes({ head, list }: RevocationPublisher): readonly Route[] {
  return [
    {
      method: 'GET',
      path: headPath,
      async handle() {
        const body = await head()
        return isRefusal(body) ? body : { contentType: 'application/jwt', body }
      },
    },
    {
      method: 'GET',
      path: `${headPath}/{hash...}`,
      async handle(_, { hash = '' }) {
        const bytes = await list(hash)
        if (bytes === undefined) return noList
        const cacheControl = 'public, max-age=31536000, immutable'
        return { contentType: 'application/octet-stream', cacheControl, body: bytes }
      },
    },
  ]
}

const noList = refuse(
  'not_found',
  `There is no such list, or it is not the newest any more. Ask for the head at ${headPath} again.`,
)

export function hubRoutes(
  context: HubContext,
  issuing: IssueDeps,
  addressOf: ClientAddress,
): readonly Route[] {
  const { settings, keys } = context
  const identify = identifyBy(issuing, addressOf, context.clock)
  const openApi = () =>
    openApiDocument({ publicUrl: settings.publicUrl, version: packageJson.version })
  const whoamiParts = { ...whoamiDeps(context, identify), clientAddress: addressOf }
  const common = { clientAddress: addressOf, bodyRoom: shares(bodiesWithinHeap()) }
  const limitChanges = namespaceLimit(context.stopwatch, context.counts)
  const admin = adminRoutes({ ...adminDeps(context, issuing, identify), ...common, limitChanges })
  const link = linkRoutes({ ...linkDeps(context, issuing, addressOf), ...common })
  const forge = forgeRoutes({ ...forgeDeps(context, issuing, addressOf), ...common })
  const limit = accountLimit(context.stopwatch, context.counts)
  const signIn = signInDeps(context, { authenticating: issuing, limit, addressOf })
  const plainJson = settings.compat.huggingface
  // biome-ignore format: a table is read by its columns
  return [
    { method: 'GET', path: '/.well-known/jwks.json',               handle: serveKeys(keys, keys) },
    { method: 'GET', path: '/.well-known/storage-revocation-keys', handle: serveKeys(keys, keys.revocations) },
    { method: 'GET', path: '/openapi.json',                        handle: serveDocument(openApi) },
    { method: 'GET', path: '/api/whoami',                          handle: serveWhoami(whoamiParts), plainJson },
    { method: 'GET', path: '/api/whoami-v2',                       handle: serveHuggingFaceWhoami(whoamiParts), plainJson: true },
    ...revocationRoutes(revocationsOf(context)),
    ...admin,
    ...link,
    ...forge,
    ...revokeRoutes(context, issuing, addressOf),
    ...deviceRoutes(context, limit, addressOf),
    ...signInRoutes(signIn),
    ...accountRoutes(signIn),
    ...namespaceRoutes({ ...signIn, work: verbWorkOf(context, issuing), limitChanges, logAdminCall: noteAdminCall(context) }),
    ...(context.providers.size === 0 ? [] : providerRoutes(signIn)),
    ...(settings.operations.port === undefined ? watchingRoutes(context) : []),
  ]
}

/** Keys change while the hub runs, so the document is made for every request. */
function serveKeys({ follow }: Pick<KeyRing, 'follow'>, keys: KeysOfPurpose): Handle {
  const cacheControl = `public, max-age=${keyCacheSeconds}`
  return async () => {
    await follow()
    return { cacheControl, body: JSON.stringify(jwksOf(keys.published)) }
  }
}

/**
 * The public route for leaked tokens. Where the operator has turned it off, programs still end their own device logins
 * there (RFC 7009), as `latchkey logout` does.
 */
function revokeRoutes(
  context: HubContext,
  { knownPrefixes }: IssueDeps,
  clientAddress: ClientAddress,
): readonly Route[] {
  const { settings, store, keys, verifyPartner, clock, stopwatch, log, metrics, counts } = context
  const { publicUrl: issuer } = settings
  const isOwnOnly = !settings.revoke.enabled
  const handle = serveRevoke({
    clientAddress,
    limits: reportLimits(stopwatch, counts),
    verifyPartner,
    isOwnOnly,
    verifyReport: reportVerifier({ knownPrefixes, keys: ringKeys(keys), issuer, clock }),
    join: commitWindows({
      commit: reportedRevoker({
        ...{ ...store, clock, isOwnOnly },
        onRevoked: (revoked) => logRevoked(log, revoked),
      }),
      onFailure: (error) => log('request_failed', failureOf(error)),
    }),
    logPost(post) {
      metrics.revokePosted(post.outcome)
      logRevokePost(log, post)
    },
  })
  return [{ method: 'POST', path: '/revoke', handle }]
}

/** Programs sign in as devices, and people approve them. */
function deviceRoutes(
  context: HubContext,
  limit: AccountLimit,
  clientAddress: ClientAddress,
): readonly Route[] {
  const { settings, store, sessions, clock, stopwatch, randomBytes } = context
  const { log, metrics, counts } = context
  const { publicUrl, hubTokenPrefix, deviceClients } = settings
  const policy = settings.hubTokens ?? usualHubTokenPolicy
  const deps = {
    ...{ directory: store.directory, randomBytes, hubTokenPrefix, clock, log, metrics },
    ...{ publicUrl, clientAddress, sessions, limit, policy },
    clients: deviceClientsOf(deviceClients),
    limits: oauthLimits(stopwatch, counts),
    moreGrants: exchangeGrants(settings.trustedPublishers?.issuers ?? [], {
      ...{ directory: store.directory, randomBytes, hubTokenPrefix, stopwatch, clock, publicUrl },
      counts,
      onFailure: (issuer, error) =>
        log('issuer_keys_not_fetched', {
          issuer,
          reason: reasonOf(error, 'its answer came too late'),
        }),
    }),
  }
  return [...oauthRoutes(deps), ...devicePageRoutes(deps)]
}

function revocationsOf({
  settings,
  store,
  keys,
  clock,
  stopwatch,
}: HubContext): RevocationPublisher {
  return publishRevocations({
    issuer: settings.publicUrl,
    readBeside: store.readBeside,
    async key() {
      await keys.follow()
      return keys.revocations.canSign() ? keys.revocations.signing : undefined
    },
    clock,
    stopwatch,
  })
}

/** Served with the rest, or by a listener of their own. */
export function watchingRoutes(context: HubContext): readonly Route[] {
  return operationsRoutes(watchedHub(context))
}

export function watchedHub({
  metrics,
  store,
  keys,
  companions,
}: Pick<HubContext, 'metrics' | 'store' | 'keys' | 'companions'>): WatchedService {
  return {
    metrics,
    isReady: async () => (await store.isReady()) && keys.canSign() && keys.revocations.canSign(),
    notReady:
      'The database does not answer, or the hub has no key to sign with. The log of the hub says why.',
    companions,
  }
}

function whoamiDeps(
  { store, log, metrics }: HubContext,
  identify: Identify,
): Omit<WhoamiDeps, 'clientAddress'> {
  const find = (id: HubTokenId) => store.readBeside((tables) => findWhoamiFacts(tables, id))
  return { identify, find, log, metrics }
}

interface SignInParts {
  readonly authenticating: IssueDeps
  readonly limit: AccountLimit
  readonly addressOf: ClientAddress
}

function signInDeps(
  context: HubContext,
  { authenticating, limit, addressOf }: SignInParts,
): ProviderDeps {
  const { settings, store, keys, sessions, providers: configured, clock } = context
  const { stopwatch, randomBytes, log, counts } = context
  const { directory } = store
  const { publicUrl, hubTokenPrefix } = settings
  return {
    ...{ directory, sessions, authenticating, limit, publicUrl, clock, randomBytes, log },
    masterKey: keys.masterKey,
    maxAgeSeconds: settings.identity?.groupsMaxAgeSeconds ?? usualGroupsMaxAgeSeconds,
    attempts: limiter(attemptsPerMinute, stopwatch, counts?.limit('sign-in')),
    own: {
      limit,
      directory,
      randomBytes,
      hubTokenPrefix,
      policy: settings.hubTokens ?? usualHubTokenPolicy,
    },
    clientAddress: addressOf,
    ...{ providers: [...configured.keys()], configured },
  }
}

function adminDeps(
  context: HubContext,
  issuing: IssueDeps,
  identify: Identify,
): Omit<AdminDeps, 'clientAddress' | 'bodyRoom' | 'limitChanges'> {
  const { store, clock } = context
  return {
    ...verbWorkOf(context, issuing),
    watch: watchOf(store),
    clock,
    async identify(request) {
      const { result, ...logFields } = await identify(request)
      return { result: isRefusal(result) ? result : result.caller, ...logFields }
    },
    logAdminCall: noteAdminCall(context),
  }
}

function noteAdminCall({ log, metrics }: Pick<HubContext, 'log' | 'metrics'>) {
  return (call: AdminCall) => {
    metrics.adminCalled(call.verb, call.code ?? 'done')
    logAdminCall(log, call)
  }
}

function linkDeps(
  { store, embedded, clock, stopwatch, log, metrics, counts }: HubContext,
  issuing: IssueDeps,
  addressOf: ClientAddress,
): Omit<LinkDeps, 'clientAddress' | 'bodyRoom'> {
  const { limits } = issuing
  const unlimited = { ...limits, forHubToken: () => undefined }
  const identify = identifyBy({ ...issuing, limits: unlimited }, addressOf, clock)
  const user = machineUser()
  const { directory } = store
  return {
    identify: linkIdentifier({ kind: 'storage', identify, embedded, limits }),
    directory,
    readBeside: store.readBeside,
    onKnownNumber: lostNumbers({ directory, log, clock, user }),
    watch: watchOf(store),
    storages: issuing.mint.storages,
    ...linkLimits(stopwatch, counts),
    clock,
    user,
    logLinkCall(call) {
      metrics.linkCalled(call.route, call.code ?? 'done')
      logLinkCall(log, call)
    },
  }
}

function forgeDeps(
  context: HubContext,
  issuing: IssueDeps,
  addressOf: ClientAddress,
): Omit<ForgeRoutesDeps, 'clientAddress' | 'bodyRoom'> {
  const { store, embeddedForge, clock, stopwatch, log, metrics } = context
  const { limits } = issuing
  const { directory } = store
  const unlimited = { ...limits, forHubToken: () => undefined }
  const identify = identifyBy({ ...issuing, limits: unlimited }, addressOf, clock)
  const place = forgePlace({ directory, stopwatch })
  const parts = asCallerDeps(context, issuing)
  return {
    identify: linkIdentifier({ kind: 'forge', identify, embedded: embeddedForge, limits }),
    ...forgeLimits(),
    place,
    portFor(forge) {
      const work = { ...parts.work, directory: place.directoryFor(forge) }
      return actAsCaller({ ...parts, work })
    },
    outcomeOf: (forge, operation) => outcomeOf(place.directoryFor(forge), operation, clock),
    user: machineUser(),
    count: metrics.linkCalled,
    logLinkCall: (call) => logLinkCall(log, call),
  }
}

/** For a forge, which asks in the names of its callers. */
function asCallerDeps(context: HubContext, issuing: IssueDeps): AsCallerDeps {
  const { settings, store, clock, randomBytes, log, metrics, keys } = context
  return {
    ...{ issuing, clock, log, work: verbWorkOf(context, issuing) },
    readBeside: store.readBeside,
    writeDown: writeDown(log, metrics),
    rules: settings.creation ?? usualCreationRules,
    tickets: tickets(keys.masterKey, randomBytes),
  }
}

function watchOf({ readBeside }: Store): JournalWatch {
  return journalWatch(() => readBeside(async (tables) => (await findHead(tables)).number))
}
