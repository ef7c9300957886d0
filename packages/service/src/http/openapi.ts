/** The parts that the OpenAPI documents of all services share. */

import { type RefusalCode, statusOf } from '@latchkey/protocol'
import type { Handle } from './routes.ts'

export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly paths: OpenApiPaths
  readonly [part: string]: unknown
}

/** Operations by path, then by method in lower case. */
export type OpenApiPaths = Readonly<Record<string, Readonly<Record<string, object>>>>

export const license = { name: 'Apache-2.0', identifier: 'Apache-2.0' } as const

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

const problemReference = { $ref: '#/components/schemas/Problem' }

/** A document that has it needs `problemSchema` as its schema `Problem`. */
export function problem(description: string, codes: readonly RefusalCode[] = []): object {
  const schema =
    codes.length === 0
      ? problemReference
      : { allOf: [problemReference, { properties: { code: { enum: codes } } }] }
  return { description, content: { 'application/problem+json': { schema } } }
}

export function json(description: string, schema: object): object {
  return { description, content: { 'application/json': { schema } } }
}

/** An operation that needs no token. */
export function openOperation(
  operationId: string,
  tag: string,
  summary: string,
  responses: Readonly<Record<number, object>>,
): object {
  return { operationId, summary, tags: [tag], security: [], responses }
}

const readyStatus = {
  type: 'object',
  properties: { status: { type: 'string' } },
  required: ['status'],
  additionalProperties: {
    type: ['string', 'object'],
    description: 'A fact about another process, or about what the service has learned.',
  },
} as const

/**
 * The document itself, and the routes of `http/operations-routes`. `task` is the work that a ready service does, for
 * example `issue tokens`.
 */
export function operationsPaths(service: string, task: string): OpenApiPaths {
  return {
    '/openapi.json': {
      get: openOperation('description', 'operations', 'This document.', {
        200: json('An OpenAPI 3.1 document.', { type: 'object' }),
      }),
    },
    '/healthz': {
      get: openOperation('isAlive', 'operations', 'Check whether the process serves.', {
        200: json('The process serves.', readyStatus),
      }),
    },
    '/readyz': {
      get: openOperation('isReady', 'operations', `Check whether the ${service} can ${task}.`, {
        200: json(`The ${service} can ${task}.`, readyStatus),
        503: problem(`The ${service} cannot ${task}: not_ready, or stopping.`),
      }),
    },
    '/metrics': {
      get: openOperation('metrics', 'operations', 'Metrics for Prometheus.', {
        200: {
          description: 'The metrics.',
          content: { 'text/plain': { schema: { type: 'string' } } },
        },
      }),
    },
  }
}

/** Made once, because every client gets the same bytes; at the first request, because most services get none. */
export function serveDocument(make: () => OpenApiDocument): Handle {
  let body: Buffer | undefined
  return () => {
    body ??= Buffer.from(JSON.stringify(make()))
    return { body }
  }
}
