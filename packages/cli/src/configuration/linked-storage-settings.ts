/** The settings of a storage that runs alone, and how it reaches its hub. */

import type { Secret } from '@latchkey/protocol'
import type { StorageSettings } from '@latchkey/storage'
import { type Stop, wrongUsage } from '../output/stop.ts'
import { refusePlainHttp } from './addresses.ts'
import { storageDatabase } from './database-place.ts'
import { storageObjects } from './objects-place.ts'
import type { Configuration } from './read-configuration.ts'
import {
  contentSettings,
  defaultStoragePort,
  refuseCommonAddress,
  storageMasterKey,
} from './storage-settings.ts'

/** Where a storage that runs alone keeps its content. */
export const ownDataDirectory = './latchkey-storage-data'

export interface LinkedStorage {
  readonly settings: StorageSettings
  readonly hubUrl: string
  readonly credential: Secret<'hub-token'>
  readonly allowPlainHttp: boolean
}

export function linkedStorage(configuration: Configuration): LinkedStorage {
  const { values, called } = configuration
  const { hub: hubUrl, casUrl, storageCredential: credential, allowPlainHttp } = values
  if (hubUrl === undefined) throw missing('--hub URL', 'the hub whose tokens the storage accepts')
  if (casUrl === undefined) {
    throw missing('--cas-url URL', 'the same as the hub has, because every token contains it')
  }
  refuseCommonAddress(casUrl, called.get('casUrl'), 'put both in, at the hub too')
  refusePlainHttp({ url: hubUrl, called: called.get('hub') ?? '--hub', allowPlainHttp })
  if (credential === undefined) {
    throw missing(
      'LATCHKEY_STORAGE_CREDENTIAL',
      'a hub token of kind storage, which an administrator of the hub makes with "latchkey hub-token create ACCOUNT NAME --kind storage"; LATCHKEY_STORAGE_CREDENTIAL_FILE may name a file that holds it',
    )
  }
  const data = values.data ?? ownDataDirectory
  const settings: StorageSettings = {
    host: values.host,
    port: values.port ?? defaultStoragePort,
    portFlag: '--port',
    casUrl,
    issuer: values.issuer ?? hubUrl,
    data,
    ...storageDatabase(configuration),
    ...storageObjects(configuration, data),
    ...storageMasterKey(configuration),
    ...contentSettings(values),
    cors: { origins: values['cors.origins'] },
    allowedHosts: values.allowedHosts,
    trustedProxies: values.trustedProxies,
    limits: {
      failuresPerMinute: values['limits.failuresPerMinute'],
      connections: values['limits.connections'],
    },
    operations: { port: values['operations.port'], host: values['operations.host'] },
    log: { level: values['log.level'] ?? 'info' },
    stopDeadlineSeconds: values.stopDeadlineSeconds,
  }
  return { settings, hubUrl, credential, allowPlainHttp }
}

function missing(what: string, why: string): Stop {
  return wrongUsage(`${what} is missing: ${why}. See latchkey storage serve --help.`)
}
