import { statusOf } from '@latchkey/protocol'
import { z } from 'zod'

const text = (description: string) => ({ type: 'string', description })

export const problemSchema = {
  type: 'object',
  description: 'A refusal (RFC 9457).',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId', 'error'],
  properties: {
    type: text('urn:latchkey:refusal: and the code.'),
    title: text('What this code means.'),
    status: { type: 'integer', description: 'The status of the answer.' },
    detail: text('What happened, what was expected, what to do.'),
    code: {
      type: 'string',
      enum: Object.keys(statusOf),
      description: 'The stable name of the refusal.',
    },
    requestId: text('The X-Request-Id of the answer.'),
    error: text('The same sentence as detail.'),
    missing: text('What would have to be granted.'),
    path: text('Where in the input the mistake is.'),
    next: {
      type: 'array',
      items: { type: 'string' },
      description:
        'The command that leads on: the words of a verb and its arguments; one in capitals is to be filled in.',
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
