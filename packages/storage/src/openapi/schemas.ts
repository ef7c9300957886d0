/** JSON bodies of the storage, as schemas of its OpenAPI document. */

import { maxListedFiles } from '../request/whole-body.ts'
import { maxThroughTokens } from '../shards/adopt-files.ts'

type Schema = Readonly<Record<string, unknown>>

const hash = {
  type: 'string',
  pattern: '^[0-9a-f]{64}$',
  description: 'The hash of a file, xorb or chunk: 64 lower-case hexadecimal digits.',
} as const

const count = { type: 'integer', minimum: 0 } as const

export function schemaNamed(name: SchemaName): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

export type SchemaName = keyof typeof storageSchemas

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** Every member is required, unless it is listed. */
function object(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', required, properties } as const
}

const mapOf = (items: Schema): Schema => ({
  type: 'object',
  propertyNames: ref('Hash'),
  additionalProperties: { type: 'array', items },
})

const termList = { type: 'array', items: ref('Term') } as const

const fetchInfo = {
  ...mapOf(ref('FetchInfo')),
  description: 'The URLs for the parts, by the hash of the xorb.',
}

const offset = {
  ...count,
  description: 'How many bytes of the first term to skip, because the range begins after them.',
}

export const storageSchemas = {
  Hash: hash,
  Empty: { type: 'object' },
  UploadedFile: object({
    hash: { ...ref('Hash'), description: 'The hash of the file.' },
    sha256: { ...hash, description: 'The SHA-256 of its bytes.' },
    size: { ...count, description: 'Its length in bytes.' },
  }),
  FoundFile: object({
    fileHash: { ...ref('Hash'), description: 'The hash of the file.' },
    size: { ...count, description: 'Its length in bytes.' },
  }),
  GrantRequest: object({
    length: { type: 'integer', minimum: 1, description: 'The length of the packed xorb in bytes.' },
  }),
  Grant: object({
    id: { type: 'string', description: 'Names the grant in its commit.' },
    method: { type: 'string', enum: ['PUT'] },
    url: { type: 'string', description: 'An address of the object store.' },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'The headers of that request.',
    },
  }),
  UploadedXorb: object({
    was_inserted: { type: 'boolean', description: 'False if the ref of the token had the xorb.' },
  }),
  Registered: object({
    result: { type: 'integer', enum: [0, 1], description: '0 if the ref had all files.' },
  }),
  ShardEvent: {
    description: 'One line of the response. The last line is a result or an error.',
    oneOf: [
      object({
        type: { const: 'validating' },
        verified: { ...count, description: 'Xorbs and files that the storage has verified.' },
        total: { ...count, description: 'Xorbs and files that it has found so far.' },
      }),
      object({ type: { const: 'committing' }, stage: { const: 'syncing' } }),
      object({ type: { const: 'result' }, result: { type: 'integer', enum: [0, 1] } }),
      object({
        type: { const: 'error' },
        message: { type: 'string', description: 'The problem and its fix, in words.' },
      }),
    ],
  },
  FilesToLink: object(
    {
      files: { type: 'array', items: ref('Hash'), minItems: 1, maxItems: maxListedFiles },
      through: {
        type: 'array',
        items: { type: 'string' },
        maxItems: maxThroughTokens,
        description: 'Storage tokens of the same repository that can read the files.',
      },
    },
    ['through'],
  ),
  FileKeys: {
    type: 'array',
    minItems: 1,
    maxItems: maxListedFiles,
    items: object({ prefix: { type: 'string' }, hash: ref('Hash') }, ['prefix']),
  },
  ChunkRange: {
    ...object({ start: count, end: count }),
    description: 'Positions of chunks in a xorb, without `end`.',
  },
  ByteRange: {
    ...object({ start: count, end: count }),
    description: 'Positions of bytes in a packed xorb, with `end`, as in a Range header.',
  },
  Term: {
    ...object({
      hash: { ...ref('Hash'), description: 'The hash of the xorb.' },
      unpacked_length: { ...count, description: 'The length of these chunks after unpacking.' },
      range: ref('ChunkRange'),
    }),
    description: 'Successive chunks of one xorb. The file is the terms in their order.',
  },
  FetchInfo: object({
    range: ref('ChunkRange'),
    url: { type: 'string', description: 'Fetch it without a token, for at most 5 minutes.' },
    url_range: { ...ref('ByteRange'), description: 'The Range header to fetch it with.' },
  }),
  Reconstruction: object({
    offset_into_first_range: offset,
    terms: termList,
    fetch_info: fetchInfo,
  }),
  ReconstructionV2: object({
    offset_into_first_range: offset,
    terms: termList,
    xorbs: mapOf(
      object({
        url: { type: 'string', description: 'Fetch it without a token, for at most 5 minutes.' },
        ranges: {
          type: 'array',
          items: object({ chunks: ref('ChunkRange'), bytes: ref('ByteRange') }),
        },
      }),
    ),
  }),
  Reconstructions: object({
    files: {
      ...mapOf(ref('Term')),
      description: 'The terms of each file, by its hash.',
    },
    fetch_info: fetchInfo,
  }),
} as const
