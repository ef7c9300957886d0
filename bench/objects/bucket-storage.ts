/** A storage with its content in a bucket, in a process of its own: one of several on one catalogue, if the order says so. */

import { once } from 'node:events'
import { httpHubLink } from '@latchkey/gate/hub-link'
import { Secret } from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import { type S3Place, type StorageSettings, startStorage } from '@latchkey/storage'

export interface BucketOrder {
  readonly data: string
  readonly casUrl: string
  readonly issuer: string
  readonly objects: S3Place
  readonly directDownloads: boolean
  readonly databaseUrl: string | undefined
  readonly hubUrl: string
  readonly credential: string
}

const [order] = (await once(process, 'message')) as [BucketOrder]
const { data, casUrl, issuer, objects, directDownloads, databaseUrl, hubUrl } = order
const settings: StorageSettings = {
  ...{ data, casUrl, issuer, objects, directDownloads, host: '127.0.0.1', port: 0 },
  ...(databaseUrl !== undefined && { database: new Secret('database-url', databaseUrl) }),
  isolation: 'ref',
  quota: { bytes: undefined, objects: undefined },
  leewaySeconds: 30,
  timeouts: { idleSeconds: 60, totalSeconds: 3600, minBytesPerSecond: 1024 },
  cors: { origins: [] },
  allowedHosts: [],
  trustedProxies: [],
  limits: { failuresPerMinute: 300, connections: 10_000 },
  log: { level: 'error' },
  stopDeadlineSeconds: 1,
}
const credential = new Secret('hub-token', order.credential)
const link = httpHubLink({ hubUrl, issuer, credential, clock: systemClock })
const lines = { write: (line: string) => process.stderr.write(`${line}\n`), async close() {} }
const { url } = await startStorage(settings, { link }, { lines })
process.send?.({ url })
process.on('disconnect', () => process.exit())
