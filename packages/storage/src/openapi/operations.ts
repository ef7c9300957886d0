/** Requests and responses of each operation of the storage, for its OpenAPI document. */

import type { RefusalCode, Scope } from '@latchkey/protocol'
import { maxListedFiles } from '../request/whole-body.ts'
import type { SchemaName } from './schemas.ts'

export type OperationName = keyof typeof operations

export interface StorageOperation {
  readonly summary: string
  readonly description?: string
  /** `none`: a signed URL in place of a token. */
  readonly scope: Scope | 'none'
  /** The meaning of `{hash}` in the path. */
  readonly hash?: string
  readonly parameters?: readonly OperationParameter[]
  readonly body?: OperationBody
  readonly replies: Readonly<Record<number, OperationReply>>
  /** Beside those that every route has: when each happens. */
  readonly refusals: Readonly<Partial<Record<RefusalCode, string>>>
}

export interface OperationParameter {
  readonly in: 'header' | 'path' | 'query'
  readonly name: string
  readonly description: string
  readonly required?: boolean
  readonly schema: object
}

/** Bytes where no schema is named. */
export interface OperationContent {
  readonly description: string
  readonly mediaType: string
  readonly schema?: SchemaName | undefined
}

export interface OperationBody extends OperationContent {
  readonly required?: boolean
}

export interface OperationReply extends Partial<OperationContent> {
  readonly description: string
  readonly headers?: readonly ReplyHeader[]
}

export type ReplyHeader = keyof typeof replyHeaders

const text = { type: 'string' } as const
const number = { type: 'integer', minimum: 0 } as const

export const replyHeaders = {
  'Accept-Ranges': { description: '`bytes`.', schema: text },
  'Content-Length': { description: 'The length of the body in bytes.', schema: number },
  'Content-Range': {
    description: 'For example `bytes 0-1023/4096`; with 416 `bytes */4096`.',
    schema: text,
  },
  ETag: { description: 'The hash of the file, in quotes. It never changes.', schema: text },
  'Retry-After': { description: 'In how many seconds to send the request again.', schema: number },
  'Upload-Offset': { description: 'How many bytes of the file are stored.', schema: number },
  'Upload-Complete': {
    description: '`?1` once the file is registered, otherwise `?0`.',
    schema: { type: 'string', enum: ['?0', '?1'] },
  },
  'WWW-Authenticate': { description: 'Why the token does not count (RFC 6750).', schema: text },
  'X-Latchkey-Registered': {
    description: '`own` if the ref of the token has the file; `inherited` if it can only read it.',
    schema: { type: 'string', enum: ['own', 'inherited'] },
  },
} as const

const octets = 'application/octet-stream'
const jsonType = 'application/json'

const json = (schema: SchemaName, description: string): OperationReply => ({
  ...{ description, schema },
  mediaType: jsonType,
})

const bytes = (description: string, headers: readonly ReplyHeader[] = []): OperationReply => ({
  ...{ description, headers },
  mediaType: octets,
})

const range: OperationParameter = {
  in: 'header',
  name: 'Range',
  description: 'One range: `bytes=0-1023` or `bytes=1024-`.',
  schema: { type: 'string', pattern: '^bytes=\\d{1,20}-\\d{0,20}$' },
}

/** A read of bytes that takes a range. */
const rangedReplies = (what: string, headers: readonly ReplyHeader[] = []) => ({
  200: bytes(what, ['Accept-Ranges', 'Content-Length', ...headers]),
  206: bytes('One range of it.', ['Accept-Ranges', 'Content-Length', 'Content-Range', ...headers]),
})

const grantId: OperationParameter = {
  in: 'path',
  name: 'id',
  required: true,
  description: 'The id of the grant.',
  schema: text,
}

const badRange = 'The Range header names no range, several, or the last bytes only.'
const rangeRefusals = {
  bad_request: badRange,
  range_not_satisfiable: 'The range begins after the end. `Content-Range` has the length.',
}

const oneFile = 'The hash of the file.'
const oneXorb = 'The hash of the xorb.'
const noFile = { resource_not_found: 'The token can read no such file.' }
const noXorb = { resource_not_found: 'The token can read no such xorb.' }

/** Refusals of what changes the storage. */
const writeRefusals = {
  quota_exceeded: 'The repository would exceed a limit.',
  hub_unavailable: 'The storage cannot reach its hub; it stored nothing.',
  not_ready:
    'The database or the object store of the storage does not respond. Send the request again.',
  storage_full: 'The disk or the object store has no free space.',
}

const shardBody: OperationBody = {
  description: 'A shard in its binary form, of at most 64 MiB.',
  mediaType: octets,
  required: true,
}
const shardRefusals = {
  ...writeRefusals,
  content_invalid: 'The shard is inconsistent, names a missing xorb, or exceeds a cap.',
  body_too_large: 'The shard has more than 64 MiB.',
}

const tooManyPieces = 'The response would have more than 16384 terms: request ranges.'
const fileReconstruction = {
  scope: 'read',
  hash: oneFile,
  parameters: [range],
  refusals: {
    ...rangeRefusals,
    ...noFile,
    bad_request: `${badRange} ${tooManyPieces}`,
  },
} as const
const listedRefusals = {
  ...noFile,
  bad_request: `The list is not 1 to ${maxListedFiles} hashes. ${tooManyPieces}`,
}

const uploadId: OperationParameter = {
  in: 'query',
  name: 'upload',
  description: 'The ID of the upload, which the client chooses.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,128}$' },
}
const badUploadId = '`upload` is no ID of an upload.'
const noUpload = {
  resource_not_found:
    'The account has no such upload for the repository and ref of the token, or it has expired.',
}

const tables = {
  uploadFile: {
    summary: 'Upload a file.',
    description:
      'The storage cuts the body into chunks, stores what the ref lacks, and registers the file.',
    scope: 'write',
    parameters: [
      { ...uploadId, description: `${uploadId.description} Such an upload can be resumed.` },
      {
        in: 'header',
        name: 'Content-Range',
        description:
          'With `upload`: the part of the file that the body is, `bytes 100-299/300`. `*` stands for a length that is not known yet, and for no bytes.',
        schema: text,
      },
      {
        in: 'header',
        name: 'Repr-Digest',
        description: '`sha-256=:…:`, the SHA-256 that the bytes must have, in base64 (RFC 9530).',
        schema: text,
      },
    ],
    body: { description: 'The bytes of the file.', mediaType: octets },
    replies: {
      200: json('UploadedFile', 'The file is registered.'),
      202: { description: 'A part of the file is stored.', headers: ['Upload-Offset'] },
    },
    refusals: {
      ...writeRefusals,
      bad_request: 'Repr-Digest, Content-Range or `upload` cannot be read.',
      content_invalid:
        'The bytes have another SHA-256 than Repr-Digest names; or a part of the file was removed. The upload is deleted.',
      upload_offset_mismatch: 'The body does not begin where the upload stopped.',
      conflict: 'A newer request with the same ID ended this one.',
    },
  },
  findUpload: {
    summary: 'Check how many bytes of an upload are stored.',
    scope: 'read',
    parameters: [{ ...uploadId, required: true }],
    replies: {
      200: {
        description: 'The state of the upload.',
        headers: ['Upload-Offset', 'Upload-Complete'],
      },
    },
    refusals: { ...noUpload, bad_request: badUploadId },
  },
  deleteUpload: {
    summary: 'Delete an upload.',
    scope: 'write',
    parameters: [{ ...uploadId, required: true }],
    replies: { 204: { description: 'The upload is deleted.' } },
    refusals: { ...noUpload, bad_request: badUploadId },
  },
  findFile: {
    summary: 'Check whether a file exists, and how long it is.',
    scope: 'read',
    hash: oneFile,
    replies: {
      200: {
        description: 'The token can read the file.',
        headers: ['Accept-Ranges', 'Content-Length', 'ETag', 'X-Latchkey-Registered'],
      },
    },
    refusals: noFile,
  },
  readFile: {
    summary: 'Download a file, or one range of it.',
    scope: 'read',
    hash: oneFile,
    parameters: [
      range,
      {
        in: 'header',
        name: 'If-Range',
        description: 'The ETag of the part that you have. With another one, all bytes come.',
        schema: text,
      },
    ],
    replies: rangedReplies('The bytes of the file.', ['ETag']),
    refusals: { ...rangeRefusals, ...noFile },
  },
  findFileBySha256: {
    summary: 'Find a file by its SHA-256.',
    scope: 'read',
    hash: 'The SHA-256 of the bytes.',
    parameters: [
      {
        in: 'query',
        name: 'size',
        description: 'The length of the file in bytes.',
        required: true,
        schema: number,
      },
    ],
    replies: { 200: json('FoundFile', 'The token can read this file.') },
    refusals: {
      ...noFile,
      bad_request: '`size` is missing, or no number of bytes.',
      not_ready: 'The storage is computing the SHA-256 of files of this length.',
    },
  },
  uploadXorb: {
    summary: 'Upload a xorb.',
    description: 'The storage verifies every chunk and the hash.',
    scope: 'write',
    hash: oneXorb,
    body: {
      description: 'A xorb in its binary form, of at most 64 MiB.',
      mediaType: octets,
      required: true,
    },
    replies: { 200: json('UploadedXorb', 'The storage has the xorb.') },
    refusals: {
      ...writeRefusals,
      content_invalid: 'The xorb is wrong; `detail` says why.',
      body_too_large: 'The xorb has more than 64 MiB.',
    },
  },
  readXorb: {
    summary: 'Download a xorb, or one range of it.',
    scope: 'read',
    hash: oneXorb,
    parameters: [range],
    replies: rangedReplies('The packed bytes of the xorb.'),
    refusals: { ...rangeRefusals, ...noXorb },
  },
  requestXorbGrant: {
    summary: 'Request a URL of the object store to send a xorb to.',
    description:
      'The store takes exactly as many bytes, and only once. A client that gets 404 sends the xorb to this storage. The response tells nothing about stored content.',
    scope: 'write',
    hash: oneXorb,
    body: {
      description: 'At most 16 KiB. A checksum, which clients send too, is not used.',
      mediaType: jsonType,
      schema: 'GrantRequest',
    },
    replies: { 201: json('Grant', 'Send the xorb to the URL, then commit the grant.') },
    refusals: {
      bad_request: 'The body has no length.',
      body_too_large: 'A xorb may have 64 MiB.',
      not_found: 'The storage gives no grants, or too many of the account are open.',
      ...writeRefusals,
    },
  },
  commitXorbGrant: {
    summary: 'Commit a xorb that was sent to the URL of a grant.',
    description:
      'The storage reads the xorb back from the store and checks every hash. A request that comes again gets the same response.',
    scope: 'write',
    hash: oneXorb,
    parameters: [grantId],
    replies: { 200: json('UploadedXorb', 'The ref of the token has the xorb.') },
    refusals: {
      content_invalid: 'The bytes are not the xorb. They are deleted.',
      resource_not_found:
        'The grant is unknown, has ended, or is for another xorb, repository, ref or hub token; or nothing was sent to its URL. Request another one.',
      ...writeRefusals,
    },
  },
  registerFiles: {
    summary: 'Register the files of a shard: all, or none.',
    scope: 'write',
    body: shardBody,
    replies: { 200: json('Registered', 'The files are registered.') },
    refusals: shardRefusals,
  },
  registerFilesWithProgress: {
    summary: 'Register the files of a shard, with progress.',
    description:
      'The storage sends 200 before it checks the shard. The last line has the result, or the error.',
    scope: 'write',
    body: shardBody,
    replies: {
      200: {
        description: 'One JSON object on each line.',
        mediaType: 'application/x-ndjson',
        schema: 'ShardEvent',
      },
    },
    refusals: { ...shardRefusals, content_invalid: 'Only as the last line of a 200 response.' },
  },
  linkFiles: {
    summary: 'Give files of other refs to the ref of the token: all, or none.',
    scope: 'write',
    body: {
      description: 'At most 256 KiB.',
      mediaType: jsonType,
      schema: 'FilesToLink',
      required: true,
    },
    replies: { 200: json('Registered', 'The ref has the files.') },
    refusals: {
      ...writeRefusals,
      bad_request: `The body is not 1 to ${maxListedFiles} hashes and at most 8 tokens.`,
      storage_token_invalid: 'A token in `through` is invalid.',
      repository_mismatch: 'A token in `through` is for another repository.',
      resource_not_found: 'No token can read a file; `detail` names it.',
      content_invalid: 'The files exceed a cap of shards.',
      body_too_large: 'The body has more than 256 KiB.',
    },
  },
  reconstructFile: {
    ...fileReconstruction,
    summary: 'List the parts of a file, with URLs to fetch them.',
    replies: { 200: json('Reconstruction', 'The parts of the file, or of the range.') },
  },
  reconstructFileV2: {
    ...fileReconstruction,
    summary: 'List the parts of a file, in the newer form.',
    replies: { 200: json('ReconstructionV2', 'The parts of the file, or of the range.') },
  },
  reconstructListedFiles: {
    summary: 'List the parts of several files.',
    scope: 'read',
    parameters: [
      {
        in: 'query',
        name: 'file_id',
        description: 'The hash of a file. Repeat it for each file.',
        required: true,
        schema: {
          type: 'array',
          items: { $ref: '#/components/schemas/Hash' },
          minItems: 1,
          maxItems: maxListedFiles,
        },
      },
    ],
    replies: { 200: json('Reconstructions', 'The parts of the files.') },
    refusals: listedRefusals,
  },
  reconstructPostedFiles: {
    summary: 'List the parts of several files, which the body names.',
    scope: 'read',
    body: {
      description: 'At most 1 MiB.',
      mediaType: jsonType,
      schema: 'FileKeys',
      required: true,
    },
    replies: { 200: json('Reconstructions', 'The parts of the files.') },
    refusals: { ...listedRefusals, body_too_large: 'The body has more than 1 MiB.' },
  },
  findChunk: {
    summary: 'Find the xorbs that have a chunk, and what follows it in a file.',
    scope: 'read',
    hash: 'The hash of the chunk.',
    replies: { 200: bytes('A shard in its binary form, with up to 64 xorbs.') },
    refusals: { resource_not_found: 'The token can read no such chunk: upload it.' },
  },
  sendTelemetry: {
    summary: 'Send a telemetry document, which the storage drops.',
    scope: 'read',
    body: { description: 'Ignored; at most 1 MiB.', mediaType: jsonType },
    replies: { 200: json('Empty', 'Always an empty object.') },
    refusals: { body_too_large: 'The body has more than 1 MiB.' },
  },
  readBlob: {
    summary: 'Fetch bytes by a URL of a reconstruction.',
    description: 'The query of the URL is signed: do not build or change it.',
    scope: 'none',
    hash: oneXorb,
    parameters: [{ ...range, required: true, description: 'The `url_range` of the URL.' }],
    replies: {
      206: bytes('The bytes.', ['Accept-Ranges', 'Content-Length', 'Content-Range']),
    },
    refusals: {
      blob_url_invalid:
        'The URL was changed, has expired, is for other bytes, or its token was revoked.',
      resource_not_found: 'The repository does not have the xorb any more.',
    },
  },
} as const satisfies Readonly<Record<string, StorageOperation>>

export const operations: Readonly<Record<keyof typeof tables, StorageOperation>> = tables
