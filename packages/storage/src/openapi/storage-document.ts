/** The description of every route of the storage as an OpenAPI 3.1 document, made from the table of routes. */

import { type RefusalCode, statusOf } from '@latchkey/protocol'
import {
  license,
  type OpenApiDocument,
  type OpenApiPaths,
  operationsPaths,
  problem,
  problemSchema,
} from '@latchkey/service/http/openapi'
import type { RouteRow } from '@latchkey/service/http/routes'
import {
  type OperationContent,
  type OperationName,
  type OperationReply,
  operations,
  type ReplyHeader,
  replyHeaders,
  type StorageOperation,
} from './operations.ts'
import { schemaNamed, storageSchemas } from './schemas.ts'

/** A route with the name of its operation. */
export interface DescribedRow extends Pick<RouteRow, 'method' | 'path'> {
  readonly operation: OperationName
  /** The path that clients should use. */
  readonly canonicalPath: string
}

export interface StorageDocumentOptions {
  /** With `{repo}` and `{ref}`, or without. */
  readonly casUrl: string
  readonly version: string
  readonly rows: readonly DescribedRow[]
}

const blobRow: DescribedRow = {
  method: 'GET',
  path: '/blobs/{hash}',
  canonicalPath: '/blobs/{hash}',
  operation: 'readBlob',
}

export function storageDocument(options: StorageDocumentOptions): OpenApiDocument {
  const { casUrl, version, rows } = options
  return {
    openapi: '3.1.0',
    info: {
      title: 'Latchkey storage',
      version,
      description:
        'A content-addressed storage behind the gate. Use the `casUrl` of a token response as the server. Every GET route also serves HEAD. Operations that are marked as deprecated are other names of a route.',
      license,
    },
    servers: [serverOf(casUrl)],
    tags: [
      { name: 'read', description: 'Operations for read tokens and write tokens.' },
      { name: 'write', description: 'Operations for write tokens.' },
      { name: 'none', description: 'Operations without a token.' },
      { name: 'operations', description: 'Routes for operators of the storage.' },
    ],
    paths: { ...pathsOf([...rows, blobRow]), ...ownPaths(casUrl) },
    components: {
      securitySchemes: {
        storageToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'A storage token of the hub, for the repository and ref of the URL.',
        },
      },
      schemas: { Problem: problemSchema, ...storageSchemas },
      responses: Object.fromEntries(
        Object.entries(usualRefusals).map(([name, refusals]) => [name, refusalOf(refusals)]),
      ),
    },
  }
}

const variables = {
  '{repo}': { default: 'repo', description: 'The uid of the repository.' },
  '{ref}': { default: 'ref', description: 'The uid of the ref.' },
} as const

function serverOf(casUrl: string): object {
  const used = Object.entries(variables).filter(([name]) => casUrl.includes(name))
  if (used.length === 0) return { url: casUrl }
  return {
    url: casUrl,
    variables: Object.fromEntries(used.map(([name, about]) => [name.slice(1, -1), about])),
  }
}

/** Routes beside the places of the storage: they have its origin only. */
function ownPaths(casUrl: string): OpenApiPaths {
  const servers = [{ url: new URL(casUrl).origin }]
  const paths = Object.entries(operationsPaths('storage', 'read and write content'))
  return Object.fromEntries(paths.map(([path, item]) => [path, { servers, ...item }]))
}

function pathsOf(rows: readonly DescribedRow[]): OpenApiPaths {
  const paths: Record<string, Record<string, object>> = {}
  const counts = new Map<OperationName, number>()
  for (const row of [...rows.filter(isCanonical), ...rows.filter((row) => !isCanonical(row))]) {
    const count = counts.get(row.operation) ?? 0
    counts.set(row.operation, count + 1)
    const item = { ...paths[row.path], [row.method.toLowerCase()]: describe(row, count) }
    paths[row.path] = item
  }
  return paths
}

function isCanonical({ path, canonicalPath }: DescribedRow): boolean {
  return path === canonicalPath
}

/** An operation has one id for each of its routes. */
function describe(row: DescribedRow, count: number): object {
  const { path, operation: name, canonicalPath } = row
  const operation: StorageOperation = operations[name]
  const { summary, description, scope, body } = operation
  const isAlias = !isCanonical(row)
  return {
    operationId: count === 0 ? name : `${name}${count + 1}`,
    summary: isAlias ? `Another name of ${canonicalPath}.` : summary,
    ...(description === undefined || isAlias ? {} : { description }),
    ...(isAlias ? { deprecated: true } : {}),
    tags: [scope],
    security: scope === 'none' ? [] : [{ storageToken: [scope] }],
    parameters: parametersOf(operation, path),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            description: body.description,
            required: body.required ?? false,
            content: contentOf(body),
          },
        }),
    responses: responsesOf(operation),
  }
}

function parametersOf(
  { hash, parameters = [] }: StorageOperation,
  path: string,
): readonly object[] {
  const inPath = {
    ...{ name: 'hash', in: 'path', required: true },
    description: hash ?? 'The storage ignores it.',
    schema: schemaNamed('Hash'),
  }
  const rest = parameters.map((parameter) => ({ required: false, ...parameter }))
  return path.includes('{hash}') ? [inPath, ...rest] : rest
}

/** OpenAPI 3.1 describes bytes by their media type alone. */
function contentOf({ mediaType, schema }: Omit<OperationContent, 'description'>): object {
  return { [mediaType]: schema === undefined ? {} : { schema: schemaNamed(schema) } }
}

function replyOf({ description, mediaType, schema, headers = [] }: OperationReply): object {
  const described = headers.map((name) => [name, { ...replyHeaders[name], required: true }])
  return {
    description,
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(described) }),
    ...(mediaType === undefined ? {} : { content: contentOf({ mediaType, schema }) }),
  }
}

type Refusals = StorageOperation['refusals']

/** Refusals of the gate and the listener, the same for many routes, by the name of their response. */
const usualRefusals = {
  Ambiguous: { bad_request: 'The gate cannot read the request, or its form is wrong.' },
  NoToken: {
    storage_token_missing: 'The request has no storage token.',
    storage_token_invalid: 'The storage token is malformed, forged, revoked or expired.',
  },
  OtherPlace: {
    repository_mismatch: 'The token is for another repository.',
    ref_mismatch: 'The token is for another ref.',
  },
  NotForWriting: {
    insufficient_scope: 'The token may only read.',
    repository_mismatch: 'The token is for another repository.',
    ref_mismatch: 'The token is for another ref.',
  },
  NoRoute: { not_found: 'The path names no repository and ref, or no route.' },
  Slow: { request_timeout: 'The body stalled, or arrived too slowly.' },
  TooMany: { rate_limited: 'Too many requests; Retry-After says when to come back.' },
  Failed: { internal_error: 'The service failed.' },
  Unready: {
    gate_not_ready: 'The gate cannot check tokens now.',
    stopping: 'The service is stopping.',
  },
} as const satisfies Readonly<Record<string, Refusals>>

type ResponseName = keyof typeof usualRefusals

function usualNamesOf({ scope, body }: StorageOperation): readonly ResponseName[] {
  const always = ['Ambiguous', 'TooMany', 'Failed', 'Unready'] as const
  if (scope === 'none') return always
  const place = scope === 'write' ? 'NotForWriting' : 'OtherPlace'
  return [...always, 'NoToken', place, 'NoRoute', ...(body === undefined ? [] : ['Slow' as const])]
}

function responsesOf(operation: StorageOperation): Record<string, object> {
  const own = byStatus(operation.refusals)
  const responses: Record<string, object> = {}
  for (const [status, reply] of Object.entries(operation.replies)) {
    responses[status] = replyOf(reply)
  }
  for (const name of usualNamesOf(operation)) {
    const usual: Refusals = usualRefusals[name]
    const [status = ''] = byStatus(usual).keys()
    const more = own.get(status)
    own.delete(status)
    responses[status] =
      more === undefined
        ? { $ref: `#/components/responses/${name}` }
        : refusalOf({ ...usual, ...more })
  }
  for (const [status, refusals] of own) responses[status] = refusalOf(refusals)
  return responses
}

function byStatus(refusals: Refusals): Map<string, Refusals> {
  const statuses = Map.groupBy(Object.entries(refusals), ([code]) =>
    String(statusOf[code as RefusalCode]),
  )
  return new Map(Array.from(statuses, ([status, some]) => [status, Object.fromEntries(some)]))
}

function refusalOf(refusals: Refusals): object {
  const codes = Object.keys(refusals) as RefusalCode[]
  const lines = codes.map((code) => `\`${code}\`: ${refusals[code]}`)
  const headers = codes.flatMap((code) => refusalHeaders[code] ?? [])
  const described = headers.map((name) => [name, replyHeaders[name]])
  return {
    ...problem(lines.join('\n\n'), codes),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(described) }),
  }
}

/** Headers that tell a client how to go on. */
const refusalHeaders: Readonly<Partial<Record<RefusalCode, readonly ReplyHeader[]>>> = {
  storage_token_missing: ['WWW-Authenticate'],
  storage_token_invalid: ['WWW-Authenticate'],
  insufficient_scope: ['WWW-Authenticate'],
  range_not_satisfiable: ['Content-Range'],
  upload_offset_mismatch: ['Upload-Offset'],
  rate_limited: ['Retry-After'],
  not_ready: ['Retry-After'],
  hub_unavailable: ['Retry-After'],
}
