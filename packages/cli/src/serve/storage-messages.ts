/** The order of the process of a storage. */

import { Secret } from '@latchkey/protocol'
import {
  isBoolean,
  isNumber,
  isText,
  listOf,
  oneOf,
  orNothing,
  shapeOf,
} from '@latchkey/service/machine/child/messages'
import { logLevels } from '@latchkey/service/observe/log'
import type { S3Credentials, S3Encryption, S3Place, StorageSettings } from '@latchkey/storage'
import { type CompanionProtocol, companionTalk } from './companion-messages.ts'

function textsOf(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every(isText)
}

/** Without the credentials of the bucket, which are a secret. */
const isS3Place = shapeOf<PlainPlace>({
  kind: oneOf('s3'),
  bucket: isText,
  prefix: isText,
  endpoint: isText,
  region: isText,
  isPathStyle: isBoolean,
  encryption: orNothing(
    shapeOf<S3Encryption>({
      algorithm: oneOf('AES256', 'aws:kms'),
      kmsKeyId: orNothing(isText),
    }),
  ),
  awsVariables: orNothing(textsOf),
  caCertificates: orNothing(listOf(isText)),
  publicEndpoint: orNothing(isText),
  scratch: isText,
})

const isCredentials = shapeOf<S3Credentials>({
  accessKeyId: isText,
  secretAccessKey: isText,
  sessionToken: orNothing(isText),
})

/** Secrets come beside them. */
const isStorageSettings = shapeOf<PlainSettings>({
  host: isText,
  port: isNumber,
  portFlag: orNothing(isText),
  casUrl: isText,
  issuer: isText,
  data: isText,
  blobUrlKeyName: orNothing(isText),
  isolation: oneOf('ref', 'repository'),
  quota: shapeOf<StorageSettings['quota']>({
    bytes: orNothing(isNumber),
    objects: orNothing(isNumber),
  }),
  shardCaps: orNothing(
    shapeOf<NonNullable<StorageSettings['shardCaps']>>({
      files: isNumber,
      xorbs: isNumber,
      terms: isNumber,
      chunks: isNumber,
    }),
  ),
  objects: orNothing(isS3Place),
  directDownloads: orNothing(isBoolean),
  reservedBytes: orNothing(isNumber),
  deletedKeepDays: orNothing(isNumber),
  leewaySeconds: isNumber,
  revocations: orNothing(
    shapeOf<NonNullable<StorageSettings['revocations']>>({
      pollSeconds: isNumber,
      whenStale: oneOf('reject', 'allow'),
    }),
  ),
  timeouts: shapeOf<StorageSettings['timeouts']>({
    idleSeconds: isNumber,
    totalSeconds: isNumber,
    minBytesPerSecond: isNumber,
  }),
  cors: shapeOf<StorageSettings['cors']>({ origins: listOf(isText) }),
  allowedHosts: listOf(isText),
  trustedProxies: listOf(isText),
  limits: shapeOf<StorageSettings['limits']>({
    failuresPerMinute: isNumber,
    connections: isNumber,
  }),
  operations: orNothing(
    shapeOf<NonNullable<StorageSettings['operations']>>({
      host: isText,
      port: orNothing(isNumber),
    }),
  ),
  hasPrivateMetrics: orNothing(isBoolean),
  log: shapeOf<StorageSettings['log']>({ level: oneOf(...logLevels) }),
  stopDeadlineSeconds: isNumber,
})

/** The inputs that a storage is started with. */
export interface StorageOrder {
  readonly settings: StorageSettings
  /** Where the storage reaches its hub. */
  readonly hubUrl: string
  /** With which it asks there. */
  readonly credential: Secret<'hub-token'>
  /** Without https, also to another machine than this one. */
  readonly allowPlainHttp: boolean
}

type PlainPlace = Omit<S3Place, 'credentials' | 'grantCredentials' | 'containerToken'>

/** A child has a bucket or the data directory. */
interface PlainSettings
  extends Omit<StorageSettings, 'database' | 'masterKey' | 'objects' | 'inFlightBytes'> {
  readonly objects?: PlainPlace | undefined
}

/** The order as it crosses, with its secrets. */
interface PlainOrder extends Omit<StorageOrder, 'credential' | 'settings'> {
  readonly settings: PlainSettings
  readonly database?: string | undefined
  readonly masterKey?: string | undefined
  readonly objectsCredentials?: S3Credentials | undefined
  readonly grantCredentials?: S3Credentials | undefined
  readonly containerToken?: string | undefined
  readonly credential: string
}

const isPlainOrder = shapeOf<PlainOrder>({
  settings: isStorageSettings,
  database: orNothing(isText),
  masterKey: orNothing(isText),
  objectsCredentials: orNothing(isCredentials),
  grantCredentials: orNothing(isCredentials),
  containerToken: orNothing(isText),
  hubUrl: isText,
  allowPlainHttp: isBoolean,
  credential: isText,
})

export const storageProtocol: CompanionProtocol<StorageOrder> = {
  ...companionTalk,
  writeOrder({ credential, settings, ...order }) {
    const { database, masterKey, objects, ...rest } = settings
    const { credentials, grantCredentials, containerToken, ...place } = bucketOf(objects) ?? {}
    const secrets = {
      database: database?.reveal(),
      masterKey: masterKey?.reveal(),
      objectsCredentials: credentials,
      grantCredentials,
      containerToken,
      credential: credential.reveal(),
    }
    const isBucket = 'kind' in place
    const plain = { ...rest, ...(isBucket && { objects: place }) }
    return { ...order, settings: plain, ...secrets } satisfies PlainOrder
  },
  readOrder(value) {
    if (!isPlainOrder(value) || value.credential === '') return undefined
    const { hubUrl, allowPlainHttp, database, masterKey } = value
    const { objectsCredentials: credentials, grantCredentials, containerToken } = value
    const credential = new Secret('hub-token', value.credential)
    const { objects, ...rest } = value.settings
    const settings = {
      ...rest,
      ...(objects !== undefined && {
        objects: {
          ...objects,
          ...(credentials && { credentials }),
          ...(grantCredentials && { grantCredentials }),
          ...(containerToken && { containerToken }),
        },
      }),
      ...(database !== undefined && { database: new Secret('database-url', database) }),
      ...(masterKey !== undefined && { masterKey: new Secret('storage-master-key', masterKey) }),
    }
    return { settings, hubUrl, allowPlainHttp, credential }
  },
}

/** Undefined for the data directory, where a storage finds its content by itself. */
function bucketOf(objects: StorageSettings['objects']): S3Place | undefined {
  return objects?.kind === 's3' ? objects : undefined
}
