/** The table of the storage: which request is which work. */

import type { Clock, Refusal } from '@latchkey/protocol'
import type { ShardCaps } from '../bounds/shard-caps.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { XorbChecker } from '../checking/xorb-checker.ts'
import type { FileHasher } from '../files/file-hasher.ts'
import { findBySha256 } from '../files/find-by-sha256.ts'
import { findFile } from '../files/find-file.ts'
import { type ContentPool, readFile } from '../files/read-file.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { PlanReconstruction } from '../reconstructions/planner.ts'
import { reconstruct } from '../reconstructions/reconstruct.ts'
import { reconstructListed, reconstructPosted } from '../reconstructions/reconstruct-batch.ts'
import { reconstructionSlots } from '../reconstructions/reconstruction-slots.ts'
import type { ReceiveUpload } from '../request/receive-upload.ts'
import { refuseGrant } from '../request/refuse-grant.ts'
import { takeTelemetry } from '../request/take-telemetry.ts'
import { adoptFiles } from '../shards/adopt-files.ts'
import type { CheckShard } from '../shards/shard-checker.ts'
import { shardSlots } from '../shards/shard-slots.ts'
import { shardUploads } from '../shards/upload-shard.ts'
import { findChunk } from '../xorbs/find-chunk.ts'
import { readXorb } from '../xorbs/read-xorb.ts'
import { uploadXorb } from '../xorbs/upload-xorb.ts'
import type { Row } from './routes.ts'

export interface StorageParts {
  readonly catalog: Catalog
  readonly objects: ObjectStore
  readonly checker: XorbChecker
  readonly plan: PlanReconstruction
  readonly clock: Clock
  readonly leewaySeconds: number
  readonly checkShard: CheckShard
  readonly receiveUpload: ReceiveUpload
  readonly shardCaps: ShardCaps
  readonly hasher: FileHasher
  readonly contents: Pick<ContentPool, 'run'>
  /** Comes back at once while the hub answers. */
  whenLinked(): Promise<Refusal | undefined>
}

const read = ['GET', 'HEAD']
const write = ['POST', 'PUT']

// biome-ignore format: a table is read by its columns
export function storageRows(parts: StorageParts): readonly Row[] {
  const { catalog, objects, clock } = parts
  const reading = { ...parts, slots: reconstructionSlots() }
  const writing = { ...parts, slots: shardSlots() }
  const shard  = shardUploads(writing)
  const xorbs  = ['/v1/xorbs/default/{hash}', '/v1/xorb/default/{hash}', '/xorb/default/{hash}', '/xorb/{hash}']
  const shards = ['/v1/shards', '/v1/shard', '/shard', '/shard/default-merkledb/{hash}']
  const chunks = ['/v1/chunks/default/{hash}', '/v1/chunks/default-merkledb/{hash}', '/chunk/default/{hash}', '/chunk/default-merkledb/{hash}']
  const files  = ['/v1/reconstructions/{hash}', '/v1/reconstruction/{hash}', '/reconstruction/{hash}']
  const batch  = ['/v1/reconstructions']
  return [
    { methods: write,    paths: xorbs,                          handle: uploadXorb(parts) },
    { methods: read,     paths: xorbs,                          handle: readXorb(catalog, objects) },
    { methods: ['POST'], paths: ['/v1/xorb-grants/default/{hash}'], handle: refuseGrant },
    { methods: write,    paths: shards,                         handle: shard.v1 },
    { methods: ['POST'], paths: ['/v2/shards'],                 handle: shard.v2 },
    { methods: ['POST'], paths: ['/v1/shards/adopt'],           handle: adoptFiles(writing) },
    { methods: read,     paths: files,                          handle: reconstruct(reading, 'v1') },
    { methods: read,     paths: ['/v2/reconstructions/{hash}'], handle: reconstruct(reading, 'v2') },
    { methods: read,     paths: batch,                          handle: reconstructListed(reading) },
    { methods: ['POST'], paths: batch,                          handle: reconstructPosted(reading) },
    { methods: read,     paths: chunks,                         handle: findChunk(catalog, objects, clock) },
    { methods: ['HEAD'], paths: ['/v1/files/{hash}'],           handle: findFile(catalog) },
    { methods: ['GET'],  paths: ['/v1/files/{hash}'],           handle: readFile(parts) },
    { methods: read,     paths: ['/v1/files/by-sha256/{hash}'], handle: findBySha256(parts) },
    { methods: ['POST'], paths: ['/v1/telemetry'],              handle: takeTelemetry },
  ]
}
