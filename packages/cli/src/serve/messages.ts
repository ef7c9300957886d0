/** What `latchkey serve` and the process of its storage say to each other, checked on arrival. */

import { Secret } from '@latchkey/protocol'
import { logLevels } from '@latchkey/service/observe/log'
import type { StorageSettings } from '@latchkey/storage'
import { isBoolean, isNumber, isText, isUrl, listOf, oneOf, orNothing, shapeOf } from './shape.ts'

/** The address of the database, which is a secret, comes beside them. */
const isStorageSettings = shapeOf<Omit<StorageSettings, 'database' | 'inFlightBytes'>>({
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
      withoutNews: oneOf('refuse', 'admit'),
    }),
  ),
  timeouts: shapeOf<StorageSettings['timeouts']>({
    idleSeconds: isNumber,
    totalSeconds: isNumber,
    leastBytesPerSecond: isNumber,
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

/** Everything that a storage is started with. */
export interface StorageOrder {
  readonly settings: StorageSettings
  /** Where the storage reaches its hub. */
  readonly hubUrl: string
  /** With which it asks there. */
  readonly credential: Secret<'hub-token'>
  /** Without https, also to another machine than this one. */
  readonly allowPlainHttp: boolean
}

export type Question = 'readiness' | 'metrics'

export type ToStorage =
  | { readonly kind: 'start'; readonly order: StorageOrder }
  | { readonly kind: 'stop' }
  | { readonly kind: 'ask'; readonly id: number; readonly question: Question }

export type FromStorage =
  /** It listens for messages; nothing is sent before. */
  | { readonly kind: 'here' }
  | { readonly kind: 'started'; readonly url: string }
  | { readonly kind: 'cannot-start'; readonly line: string }
  | { readonly kind: 'answer'; readonly id: number; readonly text: string }

/** The one message that holds secrets, as they cross. */
interface StartMessage extends Omit<StorageOrder, 'credential' | 'settings'> {
  readonly kind: 'start'
  readonly settings: Omit<StorageSettings, 'database'>
  readonly database?: string | undefined
  readonly credential: string
}

export function startMessage({ credential, settings, ...order }: StorageOrder): StartMessage {
  const { database, ...rest } = settings
  const secrets = { database: database?.reveal(), credential: credential.reveal() }
  return { kind: 'start', ...order, settings: rest, ...secrets }
}

/** Undefined for anything that is no message to a storage. */
export function readToStorage(given: unknown): ToStorage | undefined {
  if (isStop(given) || isAsk(given)) return given
  if (!isStart(given) || given.credential === '') return undefined
  const { hubUrl, allowPlainHttp, database } = given
  const credential = new Secret('hub-token', given.credential)
  const settings = {
    ...given.settings,
    ...(database !== undefined && { database: new Secret('database-url', database) }),
  }
  return { kind: 'start', order: { settings, hubUrl, allowPlainHttp, credential } }
}

/** Undefined for anything that is no message of a storage. */
export function readFromStorage(given: unknown): FromStorage | undefined {
  return [isHere, isStarted, isCannotStart, isAnswer].some((is) => is(given))
    ? (given as FromStorage)
    : undefined
}

type Of<Message, Kind> = Extract<Message, { readonly kind: Kind }>

const isStart = shapeOf<StartMessage>({
  kind: oneOf('start'),
  settings: isStorageSettings,
  database: orNothing(isText),
  hubUrl: isText,
  allowPlainHttp: isBoolean,
  credential: isText,
})
const isStop = shapeOf<Of<ToStorage, 'stop'>>({ kind: oneOf('stop') })
const isAsk = shapeOf<Of<ToStorage, 'ask'>>({
  kind: oneOf('ask'),
  id: isNumber,
  question: oneOf('readiness', 'metrics'),
})
const isHere = shapeOf<Of<FromStorage, 'here'>>({ kind: oneOf('here') })
const isStarted = shapeOf<Of<FromStorage, 'started'>>({ kind: oneOf('started'), url: isUrl })
const isCannotStart = shapeOf<Of<FromStorage, 'cannot-start'>>({
  kind: oneOf('cannot-start'),
  line: isText,
})
const isAnswer = shapeOf<Of<FromStorage, 'answer'>>({
  kind: oneOf('answer'),
  id: isNumber,
  text: isText,
})
