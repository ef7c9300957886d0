/** Compares responses of the storage with its OpenAPI document. */

import { Ajv2020, type Options } from 'ajv/dist/2020.js'
import type { Told } from '../caller.ts'

export interface DescribedOperation {
  readonly operationId: string
  readonly summary: string
  readonly deprecated?: boolean
  readonly tags: readonly string[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly schema: object
  }[]
  readonly requestBody?: DescribedBody
  readonly responses: Readonly<Record<string, DescribedResponse>>
}

interface DescribedBody {
  readonly description: string
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>
}

interface DescribedResponse extends DescribedBody {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, DescribedHeader>>
}

interface DescribedHeader {
  readonly required?: boolean
  readonly schema: { readonly type: string; readonly enum?: readonly string[] }
}

export interface DescribedDocument {
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly responses: Readonly<Record<string, DescribedResponse>>
  }
}

/** `coerceTypes` for values in a path or header, which are all text. */
export function schemasOf(document: DescribedDocument, options: Options = {}): Ajv2020 {
  const schemas = new Ajv2020({ strictTypes: false, strictRequired: false, ...options })
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    schemas.addSchema(closed(schema), `#/components/schemas/${name}`)
  }
  return schemas
}

/** The published schemas let members come; a response of today has no others than those. */
function closed<Schema>(schema: Schema): Schema {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map(closed) as Schema
  const members = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, closed(value)]),
  )
  const isObject =
    'properties' in schema && 'required' in schema && !('additionalProperties' in schema)
  return (isObject ? { ...members, additionalProperties: false } : members) as Schema
}

/** What is wrong about a response, by the document; an empty list if nothing is. */
export function flawsOf(
  { document, schemas }: { readonly document: DescribedDocument; readonly schemas: Ajv2020 },
  { responses }: DescribedOperation,
  told: Told,
): readonly string[] {
  const given = responses[told.status]
  if (given === undefined) return [`the status ${told.status} is not described`]
  const { headers = {}, content } = resolved(document, given)
  return [
    ...Object.entries(headers).flatMap(([name, header]) =>
      flawsOfHeader(name, header, told.headers.get(name)),
    ),
    ...flawsOfBody(schemas, content, told),
  ]
}

function flawsOfHeader(
  name: string,
  { required = false, schema }: DescribedHeader,
  value: string | null,
): readonly string[] {
  if (value === null) return required ? [`the header ${name} is missing`] : []
  const isListed = schema.enum?.includes(value) ?? true
  const isTyped = schema.type === 'string' || /^\d+$/.test(value)
  return isListed && isTyped ? [] : [`the header ${name} is ${value}`]
}

function resolved(document: DescribedDocument, response: DescribedResponse): DescribedResponse {
  const name = response.$ref?.replace('#/components/responses/', '')
  return (name === undefined ? undefined : document.components.responses[name]) ?? response
}

function flawsOfBody(
  schemas: Ajv2020,
  content: DescribedBody['content'],
  { headers, bytes, text }: Told,
): readonly string[] {
  if (content === undefined) return bytes.length === 0 ? [] : ['a body is not described']
  const [mediaType = ''] = headers.get('content-type')?.split(';') ?? []
  const media = content[mediaType]
  if (media === undefined) return [`the media type ${mediaType} is not described`]
  const isText = mediaType === 'text/plain'
  if (media.schema === undefined || isText || bytes.length === 0) return []
  const check = schemas.compile(media.schema)
  const values = mediaType === 'application/x-ndjson' ? text.trim().split('\n') : [text]
  return values.flatMap((value) =>
    check(JSON.parse(value)) ? [] : [`${value}: ${schemas.errorsText(check.errors)}`],
  )
}
