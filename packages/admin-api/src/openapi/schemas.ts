import { z } from 'zod'

const text = (description: string) => ({ type: 'string', description })

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

/** JSON Schema 2020-12, which OpenAPI 3.1 takes as it is. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io })
  return rest
}
