/** The settings of the embedded storage, already checked. */

import type { WhenStale } from '@latchkey/gate'
import type { OptionTypes, Secret } from '@latchkey/protocol'
import { type BodyTimeouts, bodyTimeoutTypes } from '@latchkey/service/http/deadlines'
import type { LogLevel } from '@latchkey/service/observe/log'
import type { ShardCaps } from './bounds/shard-caps.ts'
import type { ObjectsPlace } from './objects/object-store.ts'
import type { ContentIsolation } from './request/view-of.ts'

export interface StorageSettings {
  readonly host: string
  readonly port: number
  /** The flag that chooses the port, for the message that it is taken; `--storage-port` where left out. */
  readonly portFlag?: string
  /** As the hub has it: holds `{repo}` and `{ref}`. */
  readonly casUrl: string
  /** The hub's `publicUrl`: the tokens' `iss`. */
  readonly issuer: string
  /** The hub's data directory; the content lies in `objects` below it, unless `objects` says otherwise. */
  readonly data: string
  /** Where the content is. Left out: in the data directory. */
  readonly objects?: ObjectsPlace | undefined
  /** Whether downloads come from the object store itself, at its `publicEndpoint`. */
  readonly directDownloads?: boolean
  /** Where the catalogue is; its address is complete. Left out: in a file of the data directory. */
  readonly database?: Secret<'database-url'> | undefined
  /** The file in the data directory with the root of all keys of blob URLs; left out: `blob-url-key`. */
  readonly blobUrlKeyName?: string
  /** The secret behind the keys of blob URLs, of all storages that share the catalogue. Left out: the file has them. */
  readonly masterKey?: Secret<'storage-master-key'> | undefined
  readonly isolation: ContentIsolation
  /** For one repository; undefined is no limit. */
  readonly quota: { readonly bytes: number | undefined; readonly objects: number | undefined }
  /** Left out: the defaults of `bounds/`. */
  readonly shardCaps?: ShardCaps
  /**
   * Bytes that one account may have in unfinished uploads; if left out, as many as `hf_xet` sends
   * concurrently. No option sets it.
   */
  readonly inFlightBytes?: number
  /** Bytes on the disk of `data` that uploads leave free; left out: none. */
  readonly reservedBytes?: number
  /** Days that the bytes of deleted content stay in the object store; left out: none. */
  readonly deletedKeepDays?: number
  readonly leewaySeconds: number
  /** How the storage learns about revoked tokens, and its reaction to a stale list; left out: as the gate does by default. */
  readonly revocations?: { readonly pollSeconds: number; readonly whenStale: WhenStale }
  readonly timeouts: BodyTimeouts
  readonly cors: { readonly origins: readonly string[] }
  /** Host names that requests may come under beside that of `casUrl`; `*` is every one. */
  readonly allowedHosts: readonly string[]
  readonly trustedProxies: readonly string[]
  readonly limits: { readonly failuresPerMinute: number; readonly connections: number }
  /** `/healthz`, `/readyz` and `/metrics`, by a listener of their own or, without a port, beside the rest. Left out: nowhere. */
  readonly operations?: { readonly port: number | undefined; readonly host: string }
  /** Whether the hub that runs the storage shows its metrics on a listener of their own. Left out: the port of `operations` decides. */
  readonly hasPrivateMetrics?: boolean
  readonly log: { readonly level: LogLevel }
  readonly stopDeadlineSeconds: number
}

export const settingTypes: OptionTypes<StorageSettings> = {
  ...{ host: 'string', port: 'number', portFlag: 'string', casUrl: 'string', issuer: 'string' },
  ...{ objects: 'object', directDownloads: 'boolean' },
  ...{ data: 'string', database: 'object', blobUrlKeyName: 'string', isolation: 'string' },
  masterKey: 'object',
  quota: { bytes: 'number', objects: 'number' },
  shardCaps: { files: 'number', xorbs: 'number', terms: 'number', chunks: 'number' },
  ...{ inFlightBytes: 'number', reservedBytes: 'number', deletedKeepDays: 'number' },
  ...{ leewaySeconds: 'number' },
  revocations: { pollSeconds: 'number', whenStale: 'string' },
  timeouts: bodyTimeoutTypes,
  cors: { origins: 'object' },
  ...{ allowedHosts: 'object', trustedProxies: 'object' },
  limits: { failuresPerMinute: 'number', connections: 'number' },
  operations: { port: 'number', host: 'string' },
  hasPrivateMetrics: 'boolean',
  log: { level: 'string' },
  stopDeadlineSeconds: 'number',
}
