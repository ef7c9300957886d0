/** The order, the questions and the answers of the process of a storage. */

import { Secret } from '@latchkey/protocol'
import {
  type ChildProtocol,
  isBoolean,
  isNumber,
  isText,
  listOf,
  oneOf,
  orNothing,
  shapeOf,
} from '@latchkey/service/machine/child/messages'
import { logLevels } from '@latchkey/service/observe/log'
import type { StorageSettings } from '@latchkey/storage'

/** The address of the database, which is a secret, comes beside them. */
const isStorageSettings = shapeOf<Omit<StorageSettings, 'database' | 'objects' | 'inFlightBytes'>>({
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
  reservedBytes: orNothing(isNumber),
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

export type StorageQuestion = 'readiness' | 'metrics'

/** The order as it crosses, with its secrets. */
interface PlainOrder extends Omit<StorageOrder, 'credential' | 'settings'> {
  readonly settings: Omit<StorageSettings, 'database'>
  readonly database?: string | undefined
  readonly credential: string
}

const isPlainOrder = shapeOf<PlainOrder>({
  settings: isStorageSettings,
  database: orNothing(isText),
  hubUrl: isText,
  allowPlainHttp: isBoolean,
  credential: isText,
})

export const storageProtocol: ChildProtocol<StorageOrder, StorageQuestion, string> = {
  writeOrder({ credential, settings, ...order }) {
    const { database, ...rest } = settings
    const secrets = { database: database?.reveal(), credential: credential.reveal() }
    return { ...order, settings: rest, ...secrets } satisfies PlainOrder
  },
  readOrder(value) {
    if (!isPlainOrder(value) || value.credential === '') return undefined
    const { hubUrl, allowPlainHttp, database } = value
    const credential = new Secret('hub-token', value.credential)
    const settings = {
      ...value.settings,
      ...(database !== undefined && { database: new Secret('database-url', database) }),
    }
    return { settings, hubUrl, allowPlainHttp, credential }
  },
  isQuestion: (value) => value === 'readiness' || value === 'metrics',
  isAnswer: (value) => typeof value === 'string',
}
