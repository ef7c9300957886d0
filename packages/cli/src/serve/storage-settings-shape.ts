/** Whether what the storage's process was sent are settings of a storage. */

import { logLevels } from '@latchkey/service/observe/log'
import type { StorageSettings } from '@latchkey/storage'
import { isBoolean, isNumber, isText, listOf, oneOf, orNothing, shapeOf } from './shape.ts'

/** The address of the database, which is a secret, comes beside them. */
export const isStorageSettings = shapeOf<Omit<StorageSettings, 'database' | 'inFlightBytes'>>({
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
