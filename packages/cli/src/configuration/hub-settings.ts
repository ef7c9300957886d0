/** The settings of a hub from its configuration: the defaults that depend on others, and the rules across options. */

import type { HubSettings } from '@latchkey/hub'
import { isLoopback, isPlainHttp } from '@latchkey/protocol'
import { wrongUsage } from '../output/stop.ts'
import { urlOf } from './addresses.ts'
import { databasePlace, directPlace } from './database-place.ts'
import { forgeHost, hasForge, refuseTwoForges, servesRepositories } from './forge-settings.ts'
import type { OptionKey, Values } from './options.ts'
import type { Configuration } from './read-configuration.ts'
import { storagePortOf } from './storage-settings.ts'

interface Listens {
  readonly key: OptionKey
  readonly what: string
  readonly host: string
  readonly port: number
}

/** No two listeners of one process have the same address. */
function refuseSharedPort({ values, called }: Configuration, hubPort: number): void {
  const { host, storage, 'operations.host': operationsHost, 'operations.port': operations } = values
  const all: readonly Listens[] = [
    { key: 'port', what: 'the hub', host, port: hubPort },
    ...(storage
      ? [{ key: 'storagePort', what: 'the storage', host, port: storagePortOf(values) } as const]
      : []),
    ...(hasForge(values)
      ? [
          {
            key: 'forge.port',
            what: 'the forge',
            host: forgeHost,
            port: values['forge.port'],
          } as const,
        ]
      : []),
    ...(operations === undefined
      ? []
      : [
          {
            key: 'operations.port',
            what: 'operations',
            host: operationsHost,
            port: operations,
          } as const,
        ]),
  ]
  for (const [index, one] of all.entries()) {
    const other = all.slice(0, index).find((earlier) => isShared(one, earlier))
    if (other === undefined) continue
    const name = called.get(one.key) ?? called.get(other.key) ?? one.key
    throw wrongUsage(
      `${name}: ${other.what} and ${one.what} cannot both listen on port ${one.port}; choose another for one of them`,
    )
  }
}

const everyAddress = ['0.0.0.0', '::']

function isShared(one: Listens, other: Listens): boolean {
  if (one.port !== other.port || one.port === 0) return false
  return (
    one.host === other.host || [one.host, other.host].some((host) => everyAddress.includes(host))
  )
}

const defaultPort = 8080

/** The address of a storage of our own, or of one that stands where ours would. */
export function defaultCasUrl(host: string, storagePort: number): string {
  return `${urlOf(host, storagePort)}/r/{repo}/{ref}`
}

export function hubSettings(configuration: Configuration): HubSettings {
  const { values, called } = configuration
  refuseUnsafe(values, (key) => called.get(key) ?? key)
  const { host, port = defaultPort, demo, publicUrl, casUrl } = values
  refuseTwoForges(configuration)
  refuseSharedPort(configuration, port)
  return {
    ...storeSettings(values),
    host,
    port,
    publicUrl: publicUrl ?? urlOf(host, port),
    casUrl: casUrl ?? defaultCasUrl(host, storagePortOf(values)),
    storages: values.storages,
    forgeUrl: values['forge.url'],
    directDatabase: directPlace(values.directDatabase),
    stalenessSeconds: values.stalenessSeconds,
    masterKey: values.masterKey,
    ...keySettings(values),
    hubTokenPrefix: values.hubTokenPrefix,
    deviceClients: values.deviceClients,
    hidePrivateRepositories: values.hidePrivateRepositories,
    anonymousPublicRead: admitsAnonymous(values),
    compat: { huggingface: values['compat.huggingface'] || servesRepositories(values) },
    cors: {
      origins: values['cors.origins'],
      allowAnonymousAnyOrigin: values['cors.allowAnonymousAnyOrigin'],
    },
    allowedHosts: values.allowedHosts,
    trustedProxies: values.trustedProxies,
    limits: {
      requestsPerMinute: values['limits.requestsPerMinute'],
      failuresPerMinute: values['limits.failuresPerMinute'],
      connections: values['limits.connections'],
    },
    operations: { port: values['operations.port'], host: values['operations.host'] },
    journal: { retentionDays: values['journal.retentionDays'] },
    revoke: {
      enabled: values['revoke.enabled'],
      partnerKeys: values['revoke.partnerKeys'],
    },
    identity: {
      providers: values['identity.providers'],
      groupsMaxAgeSeconds: values['identity.groupsMaxAgeSeconds'],
    },
    hubTokens: {
      maxDays: values['hubTokens.maxDays'],
      unusedDays: values['hubTokens.unusedDays'],
      kinds: values['hubTokens.kinds'],
    },
    trustedPublishers: { issuers: values['trustedPublishers.issuers'] },
    creation: {
      ownNamespaces: values['forge.ownNamespaces'],
      repositoriesPerNamespace: values['forge.quotaRepositories'],
      refsPerRepository: values['forge.quotaRefs'],
    },
    log: { level: values['log.level'] ?? (demo ? 'warn' : 'info') },
    stopDeadlineSeconds: values.stopDeadlineSeconds,
  }
}

/** The demo's public page opens in a browser without a login. */
function admitsAnonymous({ anonymousPublicRead, demo }: Values): boolean {
  return anonymousPublicRead ?? demo
}

/** The settings for opening the hub's data. */
export function storeSettings({
  data,
  database,
  demo,
}: Values): Pick<HubSettings, 'data' | 'database' | 'demo'> {
  return {
    data: data ?? (demo ? './latchkey-demo' : './latchkey-data'),
    database: databasePlace(database),
    demo,
  }
}

/** The settings for rotating keys. */
export function keySettings(values: Values): Pick<HubSettings, 'token' | 'keys'> {
  return {
    token: {
      lifetimeSeconds: values['token.lifetimeSeconds'],
      algorithm: values['token.algorithm'],
    },
    keys: { rotationDays: values['keys.rotationDays'] },
  }
}

/** Settings that work but should not stay. */
export function warningsAbout(settings: HubSettings): string[] {
  const { publicUrl, casUrl, storages = [], forgeUrl } = settings
  return [
    ...(isPlainHttp(publicUrl)
      ? ['publicUrl is plain http: hub tokens can be read on the way']
      : []),
    ...[{ name: 'casUrl', casUrl }, ...storages].flatMap((storage) =>
      isPlainHttp(storage.casUrl)
        ? [`${storage.name} is plain http: storage tokens can be read on the way`]
        : [],
    ),
    ...(forgeUrl !== undefined && isPlainHttp(forgeUrl)
      ? ['forge.url is plain http: hub tokens can be read on the way to the forge']
      : []),
  ]
}

function refuseUnsafe(values: Values, called: (key: OptionKey) => string): void {
  const { host, demo, publicUrl, casUrl } = values
  const exposed = (['host', 'operations.host'] as const).find((key) => !isLoopback(values[key]))
  if (demo && exposed !== undefined) {
    throw wrongUsage(
      `${called(exposed)}: the demo listens only on a loopback address, because it prints its hub tokens; leave it out, or serve without demo`,
    )
  }
  if (!isLoopback(host) && (publicUrl === undefined || casUrl === undefined)) {
    throw wrongUsage(
      `${called('host')}: other machines can reach "${host}", so --public-url and --cas-url are required: they are the addresses for clients`,
    )
  }
  const anyOrigin = values['cors.origins'].includes('*')
  if (anyOrigin && admitsAnonymous(values) && !values['cors.allowAnonymousAnyOrigin']) {
    throw wrongUsage(
      `${called('cors.origins')}: * together with anonymousPublicRead lets any web page read from inside your network; list the origins, or pass --cors-allow-anonymous-any-origin`,
    )
  }
}
