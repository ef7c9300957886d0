/**
 * Lists the routes of the storage. Some routes have several names, for older clients and for the
 * specification.
 */

import { type Clock, type Refusal, refuse } from '@latchkey/protocol'
import { type FindRoute, type RouteRow, routeTable } from '@latchkey/service/http/routes'
import { bodiesWithinHeap, type Shares, shares } from '@latchkey/service/limits/shares'
import { type Hash, parseHash } from '@latchkey/xet/format'
import { maxDirectSeconds } from '../blob-url/blob-permit.ts'
import type { ShardCaps } from '../bounds/shard-caps.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { FileUploads } from '../catalog/file-uploads.ts'
import type { Quota } from '../catalog/quota.ts'
import type { XorbGrants } from '../catalog/xorb-grants.ts'
import type { XorbChecker } from '../checking/xorb-checker.ts'
import type { FileHasher } from '../files/file-hasher.ts'
import { findBySha256 } from '../files/find-by-sha256.ts'
import type { PackPool } from '../files/pack-work.ts'
import { putFile } from '../files/put-file.ts'
import { type ContentPool, findFile, readFile } from '../files/read-file.ts'
import { deleteUpload, findUpload } from '../files/resume-upload.ts'
import { uploadTurns } from '../files/upload-turns.ts'
import { commitGrant } from '../grants/commit-grant.ts'
import type { ReadBack } from '../grants/read-back.ts'
import { requestGrant } from '../grants/request-grant.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { OperationName } from '../openapi/operations.ts'
import type { DescribedRow } from '../openapi/storage-document.ts'
import type { ReconstructionQuestion } from '../reconstructions/make-reconstruction.ts'
import type { PlanReconstruction } from '../reconstructions/planner.ts'
import {
  answerInSlot,
  type ReconstructionSlots,
  reconstructionSlots,
} from '../reconstructions/reconstruction-slots.ts'
import type { StorageCall, StorageHandler, StorageReply } from '../request/asked.ts'
import { bearerOf } from '../request/blob-url-of.ts'
import { parseByteRange } from '../request/byte-range.ts'
import type { ReceiveUpload } from '../request/receive-upload.ts'
import { badRange } from '../request/refusals.ts'
import { maxListedFiles, takeTelemetry, withWholeBody } from '../request/whole-body.ts'
import { adoptFiles } from '../shards/adopt-files.ts'
import type { CheckShard } from '../shards/shard-checker.ts'
import { shardSlots } from '../shards/shard-slots.ts'
import { shardUploads } from '../shards/upload-shard.ts'
import { findChunk } from '../xorbs/find-chunk.ts'
import { readXorb } from '../xorbs/read-xorb.ts'
import { threadLimits, uploadXorb, usualThreads, xorbStore } from '../xorbs/upload-xorb.ts'

const maxBytes = 1024 * 1024

/** `?file_id=…&file_id=…` */
function reconstructListed(reconstructing: Reconstructing): StorageHandler {
  return async (call) => reconstructAll(reconstructing, call, call.query.getAll('file_id'))
}

/** `[{ "prefix": "default", "hash": "…" }]` */
function reconstructPosted(reconstructing: Reconstructing): StorageHandler {
  const { bodyRoom } = reconstructing
  const bounds = { bodyRoom, maxBytes: maxBytes, name: 'list of files' }
  return (call) =>
    withWholeBody(call, bounds, (body) => {
      const words = readKeys(body.toString('utf8'))
      return words === undefined ? badList : reconstructAll(reconstructing, call, words)
    })
}

const badList = refuse(
  'bad_request',
  `The files must be given by their hashes: 1 to ${maxListedFiles}, each 64 lower-case hexadecimal digits, as ?file_id=… or as a JSON list of { "prefix": "default", "hash": "…" }.`,
)

async function reconstructAll(
  reconstructing: Reconstructing,
  call: StorageCall,
  words: readonly string[],
): Promise<StorageReply | Refusal> {
  const hashes = readHashes(words)
  if (hashes === undefined) return badList
  return answer(reconstructing, call, { form: 'batch', files: [...hashes], range: undefined })
}

function readHashes(words: readonly string[]): ReadonlySet<Hash> | undefined {
  const hashes = words.map(parseHash).filter((hash) => hash !== undefined)
  const isReadable = hashes.length === words.length && words.length > 0
  return isReadable && words.length <= maxListedFiles ? new Set(hashes) : undefined
}

function readKeys(text: string): readonly string[] | undefined {
  try {
    const keys: unknown = JSON.parse(text)
    return Array.isArray(keys) ? keys.map((key) => String(key?.hash)) : undefined
  } catch {
    return undefined
  }
}

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
  readonly uploads: FileUploads
  readonly xorbGrants: XorbGrants
  readonly readBack: ReadBack
  readonly quota: Quota
  /** Counts what is read back from the store to be checked. */
  readonly onReadBack: (bytes: number) => void
  readonly contents: Pick<ContentPool, 'run'>
  readonly packs: Pick<PackPool, 'run'>
  /** In bytes of drafts. */
  readonly drafts: Shares
  /** Comes back at once while the hub answers. */
  whenLinked(): Promise<Refusal | undefined>
}

export interface StorageRow extends RouteRow, DescribedRow {
  readonly handle: StorageHandler
}

/** Rows without `{hash}` have none. */
export type FindStorageRow = FindRoute<StorageRow, { readonly hash: Hash; readonly id: string }>

export function storageTable(parts: StorageParts): FindStorageRow {
  return routeTable(storageRows(parts), { hash: readHash, id: (segment) => segment })
}

function readHash(segment: string): Hash | Refusal | undefined {
  return segment.length === 64 ? (parseHash(segment) ?? badHash) : undefined
}

const badHash = refuse(
  'bad_request',
  'The hash in the path must be 64 lower-case hexadecimal digits.',
)

const wrongMethod = (allow: string) => `This path takes ${allow}.`

// biome-ignore format: a table is read by its columns
export function storageRows(parts: StorageParts): readonly StorageRow[] {
  const write = ['POST', 'PUT'] as const
  const { catalog, objects, clock } = parts
  const bodyRoom = shares(bodiesWithinHeap())
  const reading = { ...parts, slots: reconstructionSlots(), bodyRoom }
  const writing = { ...parts, slots: shardSlots(), bodyRoom }
  const storeXorb = xorbStore(parts)
  const granting = { ...parts, bodyRoom }
  const filing = { ...parts, storeXorb, packSlots: shares(threadLimits(usualThreads)), registerSlots: writing.slots.small, turns: uploadTurns() }
  const shard  = shardUploads(writing)
  const xorbs  = ['/v1/xorbs/default/{hash}', '/v1/xorb/default/{hash}', '/xorb/default/{hash}', '/xorb/{hash}']
  const shards = ['/v1/shards', '/v1/shard', '/shard', '/shard/default-merkledb/{hash}']
  const chunks = ['/v1/chunks/default-merkledb/{hash}', '/v1/chunks/default/{hash}', '/chunk/default/{hash}', '/chunk/default-merkledb/{hash}']
  const files  = ['/v1/reconstructions/{hash}', '/v1/reconstruction/{hash}', '/reconstruction/{hash}']
  const batch  = ['/v1/reconstructions']
  const rows: readonly (readonly [OperationName, methods: readonly StorageRow['method'][], paths: readonly string[], StorageHandler])[] = [
    ['uploadXorb',                write,    xorbs,                              uploadXorb({ ...parts, storeXorb })],
    ['readXorb',                  ['GET'],  xorbs,                              readXorb(catalog, objects)],
    ['requestXorbGrant',          ['POST'], ['/v1/xorb-grants/default/{hash}'], requestGrant(granting)],
    ['commitXorbGrant',           ['POST'], ['/v1/xorb-commits/default/{hash}/grant/{id}'], commitGrant(parts)],
    ['registerFiles',             write,    shards,                             shard.v1],
    ['registerFilesWithProgress', ['POST'], ['/v2/shards'],                     shard.v2],
    ['linkFiles',                 ['POST'], ['/v1/shards/adopt'],               adoptFiles(writing)],
    ['reconstructFile',           ['GET'],  files,                              reconstruct(reading, 'v1')],
    ['reconstructFileV2',         ['GET'],  ['/v2/reconstructions/{hash}'],     reconstruct(reading, 'v2')],
    ['reconstructListedFiles',    ['GET'],  batch,                              reconstructListed(reading)],
    ['reconstructPostedFiles',    ['POST'], batch,                              reconstructPosted(reading)],
    ['findChunk',                 ['GET'],  chunks,                             findChunk(catalog, objects, clock)],
    ['uploadFile',                ['PUT'],  ['/v1/files'],                      putFile(filing)],
    ['findUpload',                ['HEAD'], ['/v1/files'],                      (call) => findUpload(filing, call)],
    ['deleteUpload',              ['DELETE'], ['/v1/files'],                    (call) => deleteUpload(filing, call)],
    ['findFile',                  ['HEAD'], ['/v1/files/{hash}'],               findFile(parts)],
    ['readFile',                  ['GET'],  ['/v1/files/{hash}'],               readFile(parts)],
    ['findFileBySha256',          ['GET'],  ['/v1/files/by-sha256/{hash}'],     findBySha256(parts)],
    ['sendTelemetry',             ['POST'], ['/v1/telemetry'],                  takeTelemetry(bodyRoom)],
  ]
  return rows.flatMap(([operation, methods, paths, handle]) =>
    methods.flatMap((method) => paths.map((path) =>
      ({ method, path, operation, canonicalPath: paths[0] ?? path, handle, wrongMethod }))))
}

/** `GET /v1/reconstructions/{hash}` and `/v2/…`: what a file is made of, and URLs to fetch it with. */
interface Reconstructing {
  readonly plan: PlanReconstruction
  readonly slots: ReconstructionSlots
  readonly bodyRoom: Shares
  readonly clock: Clock
  /** How long after its `exp` a token still opens anything. */
  readonly leewaySeconds: number
}

function reconstruct(reconstructing: Reconstructing, form: 'v1' | 'v2'): StorageHandler {
  return async (call, hash: Hash) => {
    const range = parseByteRange(call.range)
    if (range === 'invalid') return badRange
    return answer(reconstructing, call, { form, files: [hash], range })
  }
}

function answer(
  { plan, slots, clock, leewaySeconds }: Reconstructing,
  { grant, view, payer, signal }: StorageCall,
  question: Pick<ReconstructionQuestion, 'form' | 'files' | 'range'>,
): Promise<StorageReply | Refusal> {
  return answerInSlot(slots, { payer, signal }, (size) => {
    const now = clock()
    const bearer = bearerOf(grant, { now, leewaySeconds })
    const directSeconds = Math.min(maxDirectSeconds, bearer.expiresAt - now)
    return plan(size, { ...question, view, bearer, directSeconds }, signal)
  })
}
