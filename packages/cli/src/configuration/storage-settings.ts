/** The settings of the embedded storage from the configuration, beside those of its hub. */

import type { HubSettings } from '@latchkey/hub'
import { isLoopback } from '@latchkey/protocol'
import type { StorageSettings } from '@latchkey/storage'
import { defaultShardCaps } from '@latchkey/storage/bounds'
import { embeddedRootKeyName } from '@latchkey/storage/root-key'
import { wrongUsage } from '../output/stop.ts'
import { storageDatabase } from './database-place.ts'
import { storageObjects } from './objects-place.ts'
import type { Values } from './options.ts'
import type { Configuration } from './read-configuration.ts'

export const defaultStoragePort = 8081

/** An operator who takes any port for the hub takes any for the storage. */
export function storagePortOf({ port, storagePort }: Values): number {
  return storagePort ?? (port === 0 ? 0 : defaultStoragePort)
}

/** Undefined when the operator brings a storage of his own. */
export function storageSettings(
  configuration: Configuration,
  hub: HubSettings,
): StorageSettings | undefined {
  const { values, called } = configuration
  if (!values.storage) return undefined
  refuseCommonAddress(
    hub.casUrl,
    called.get('casUrl'),
    'put both in, or pass --no-storage for your own storage',
  )
  const { casUrl, publicUrl: issuer, data, host, log } = hub
  return {
    host,
    port: storagePortOf(values),
    casUrl,
    issuer,
    data,
    ...storageDatabase(configuration),
    ...storageObjects(configuration, data),
    blobUrlKeyName: embeddedRootKeyName,
    ...storageMasterKey(configuration),
    ...contentSettings(values),
    cors: { origins: hub.cors.origins },
    allowedHosts: hub.allowedHosts,
    trustedProxies: hub.trustedProxies,
    limits: {
      failuresPerMinute: hub.limits.failuresPerMinute,
      connections: hub.limits.connections,
    },
    hasPrivateMetrics: hub.operations.port !== undefined,
    log,
    stopDeadlineSeconds: hub.stopDeadlineSeconds,
  }
}

export function refuseCommonAddress(
  casUrl: string,
  called: string | undefined,
  advice: string,
): void {
  if (casUrl.includes('{repo}') && casUrl.includes('{ref}')) return
  throw wrongUsage(
    `${called ?? '--cas-url'}: the storage separates repositories and refs by {repo} and {ref} in it, as in https://cas.example/r/{repo}/{ref}; ${advice}`,
  )
}

/** Settings that are the same wherever a storage runs. */
export function contentSettings(values: Values) {
  return {
    isolation: values['storage.isolation'],
    quota: { bytes: values['storage.quotaBytes'], objects: values['storage.quotaObjects'] },
    reservedBytes: values['storage.reservedBytes'],
    deletedKeepDays: deletedKeepDays(values),
    shardCaps: { ...defaultShardCaps, files: values['storage.shardFiles'] },
    leewaySeconds: values.leewaySeconds,
    revocations: {
      pollSeconds: values['revocations.pollSeconds'],
      whenStale: values['revocations.whenStale'],
    },
    timeouts: {
      idleSeconds: values['timeouts.idleSeconds'],
      totalSeconds: values['timeouts.totalSeconds'],
      minBytesPerSecond: values['timeouts.minBytesPerSecond'],
    },
  }
}

/** Empty where the key of blob URLs is a file in the data directory. */
export function storageMasterKey({ values, called }: Configuration): {
  readonly masterKey?: StorageSettings['masterKey']
} {
  const { storageMasterKey: masterKey, storageDatabase: catalogue, objects } = values
  const isShared = typeof catalogue !== 'string'
  if (masterKey !== undefined && !isShared) {
    throw wrongUsage(
      `${called.get('storageMasterKey')}: only a catalogue in PostgreSQL has keys of blob URLs that it derives; leave it out, or pass --storage-database postgres://… too`,
    )
  }
  if (masterKey !== undefined) return { masterKey }
  if (!isShared || objects === undefined) return {}
  throw wrongUsage(
    'LATCHKEY_STORAGE_MASTER_KEY is missing: storages that share a catalogue and a bucket need it, so that each accepts the blob URLs of the others. Give all of them the same 32 bytes in base64 (openssl rand -base64 32), or name a file that has them in LATCHKEY_STORAGE_MASTER_KEY_FILE',
  )
}

const defaultKeepDays = 7

/** A bucket is backed up by its owner, and a catalogue that was restored may name what was deleted since. */
export function deletedKeepDays(values: Values): number {
  const standard = values.objects === undefined ? 0 : defaultKeepDays
  return values['storage.deletedKeepDays'] ?? standard
}

const onlyForStorage = [
  'storageDatabase',
  'objects',
  'storage.isolation',
  'storage.quotaBytes',
  'storage.quotaObjects',
  'storage.shardFiles',
] as const

/** Settings for a storage that does not run. Its port still shapes a default address. */
export function warningsWithoutStorage({ values, called }: Configuration): string[] {
  const idle = [
    ...(values.casUrl === undefined ? [] : (['storagePort'] as const)),
    ...onlyForStorage,
  ]
  return idle.flatMap((key) => {
    const name = called.get(key)
    return name === undefined ? [] : `${name} is not used: the storage is turned off`
  })
}

/** Settings that work but send clients elsewhere, or admit revoked tokens. */
export function warningsAboutStorage(
  settings: StorageSettings,
  otherwise = ', or --no-storage for your own storage',
): string[] {
  const { casUrl, port, portFlag = '--storage-port', revocations } = settings
  const { hostname, port: named } = new URL(casUrl)
  const clientsPort = Number(named || 80)
  const isMissed = isLoopback(hostname) && port !== 0 && clientsPort !== port
  return [
    ...(isMissed
      ? [
          `clients are sent to port ${clientsPort} (casUrl), but the storage listens on ${port}; pass ${portFlag} ${clientsPort} unless a proxy is in front${otherwise}`,
        ]
      : []),
    ...(revocations?.whenStale === 'allow' ? [admitsWhenStale] : []),
    ...(settings.directDownloads ? [endsLater] : []),
  ]
}

const endsLater =
  'objects.directDownloads: a download from the object store may begin up to 60 s after its token was revoked, and then runs to its end (at most 64 MiB)'

export const admitsWhenStale =
  'while the hub does not respond, tokens that it revokes are accepted until they expire'
