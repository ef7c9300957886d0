import { statusOf } from '@latchkey/protocol'
import { z } from 'zod'

const text = (description: string) => ({ type: 'string', description })

export const problemSchema = {
  type: 'object',
  description: 'An error (RFC 9457).',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId', 'error'],
  properties: {
    type: text('urn:latchkey:refusal: and the code.'),
    title: text('The meaning of the code.'),
    status: { type: 'integer', description: 'The status of the response.' },
    detail: text('The problem and its fix, in words.'),
    code: {
      type: 'string',
      enum: Object.keys(statusOf),
      description: 'The stable code of the error.',
    },
    requestId: text('The X-Request-Id of the response.'),
    error: text('The same sentence as detail.'),
    missing: text('The missing permission.'),
    path: text('The position of the mistake in the input.'),
    next: {
      type: 'array',
      items: { type: 'string' },
      description: 'The next command: its words and arguments. Replace words in capitals.',
    },
    number: { type: 'integer', description: 'The last number of the journal.' },
  },
} as const

export const tokenResponseSchema = {
  type: 'object',
  required: ['accessToken', 'exp', 'casUrl'],
  properties: {
    accessToken: text('The storage token.'),
    exp: { type: 'integer', description: 'When it ends, in seconds since 1970.' },
    casUrl: text('Where the storage is.'),
  },
} as const

/** The first segment of a repository in a path. */
export const repositoryTypeSchema = {
  type: 'string',
  enum: ['models', 'datasets', 'spaces'],
} as const

export function problem(description: string): object {
  return {
    description,
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }
}

export function json(description: string, schema: object): object {
  return { description, content: { 'application/json': { schema } } }
}

/** JSON Schema 2020-12, which OpenAPI 3.1 takes as it is. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io })
  return rest
}
