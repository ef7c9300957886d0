/** The routes that are no verbs of the directory. */

import {
  json,
  type OpenApiPaths,
  openOperation,
  operationsPaths,
  problem,
} from '@latchkey/service/http/openapi'
import type { z } from 'zod'
import { forgeAnswer, forgeBody, forgeQuestions } from '../link/forge-questions.ts'
import {
  changesAnswer,
  changesQuestion,
  epochsAnswer,
  epochsQuestion,
  linkPrefix,
  placesAnswer,
  placesQuestion,
  quotasAnswer,
  quotasQuestion,
} from '../link/questions.ts'
import { whoami } from '../nouns/hub-tokens.ts'
import { jsonSchema, repositoryTypeSchema } from './schemas.ts'

const text = { type: 'string' }
const anyObject = { type: 'object' }

function inPath(name: string, description: string, schema: object = text): object {
  return { name, in: 'path', required: true, description, schema }
}

const accepted = { type: 'object', properties: { status: text }, required: ['status'] }

const tokenItem = { type: 'object', properties: { token: text }, required: ['token'] }

const report = {
  oneOf: [
    { ...tokenItem, additionalProperties: false },
    {
      type: 'object',
      properties: { tokens: { type: 'array', items: text, minItems: 1, maxItems: 1000 } },
      required: ['tokens'],
      additionalProperties: false,
    },
    { type: 'array', items: tokenItem, minItems: 1, maxItems: 1000 },
  ],
}

/** Made when it is asked for: schemas become JSON, which would take a part of every start. */
export function fixedPaths(): OpenApiPaths {
  return {
    '/api/{repositoryType}/{namespace}/{name}/storage-{scope}-token/{revision}': {
      get: {
        operationId: 'requestStorageToken',
        summary: 'Request a storage token for one repository and revision.',
        tags: ['token'],
        security: [{ hubToken: [] }],
        parameters: [
          inPath('repositoryType', 'The type of the repository.', repositoryTypeSchema),
          inPath('namespace', 'The namespace of the repository.'),
          inPath('name', 'The name of the repository.'),
          inPath('scope', 'The scope of the token.', { type: 'string', enum: ['read', 'write'] }),
          inPath('revision', 'A branch, tag, full ref name or full hash, percent-encoded.'),
        ],
        responses: {
          200: json('A storage token.', { $ref: '#/components/schemas/TokenResponse' }),
          401: problem('No hub token, or one that is not valid.'),
          403: problem('The hub token lacks permission for this token.'),
          404: problem('The repository or the revision does not exist.'),
          429: problem('Too many requests; Retry-After says when to come back.'),
          500: problem('The service failed.'),
        },
      },
    },
    '/api/whoami': {
      get: {
        operationId: 'whoami',
        summary: 'Show the account and the kind of a hub token.',
        tags: ['token'],
        security: [{ hubToken: [] }],
        responses: {
          200: json(
            'The hub token, without its secret, and its account.',
            jsonSchema(whoami, 'output'),
          ),
          401: problem('No hub token, or one that is not valid.'),
          429: problem('Too many requests; Retry-After says when to come back.'),
          500: problem('The service failed.'),
        },
      },
    },
    '/revoke': {
      post: {
        operationId: 'reportLeakedTokens',
        summary: 'Report leaked hub tokens or storage tokens; the hub revokes them.',
        tags: ['token'],
        security: [],
        requestBody: { required: true, content: { 'application/json': { schema: report } } },
        responses: {
          202: json(
            'The hub has revoked the valid tokens; the response does not tell which were valid.',
            accepted,
          ),
          400: problem('The body is not a report, or has more than 1000 tokens.'),
          403: problem('No key that the operator configured signed the list of the partner.'),
          413: problem('The body is larger than 1 MiB.'),
          415: problem('The body is not JSON.'),
          429: problem('Too many reports or tokens; Retry-After says when to come back.'),
          500: problem('The service failed.'),
          503: problem('No token was revoked; Retry-After says when to send the report again.'),
        },
      },
    },
    '/.well-known/jwks.json': {
      get: openOperation('publicKeys', 'token', 'The public keys that verify storage tokens.', {
        200: json('A JSON Web Key Set (RFC 7517).', anyObject),
      }),
    },
    '/.well-known/storage-revocation-keys': {
      get: openOperation(
        'revocationKeys',
        'token',
        'The public keys that verify heads of revocation lists.',
        {
          200: json('A JSON Web Key Set (RFC 7517); none of its keys verifies a token.', anyObject),
        },
      ),
    },
    '/.well-known/storage-revocations': {
      get: openOperation(
        'revocationHead',
        'token',
        'The signed head of the current revocation list.',
        {
          200: {
            description: 'A JWS (RFC 7515).',
            content: { 'application/jwt': { schema: text } },
          },
        },
      ),
    },
    '/.well-known/storage-revocations/{list}': {
      get: {
        ...openOperation('revocationList', 'token', 'A revocation list, by its hash.', {
          200: {
            description: '40 bytes for each entry: a SHA-256, and a number in 8 bytes.',
            content: { 'application/octet-stream': { schema: text } },
          },
          404: problem('There is no such list, or it is not among the newest.'),
        }),
        parameters: [inPath('list', 'The hash that the head names.')],
      },
    },
    ...operationsPaths('hub', 'issue tokens'),
  }
}

const bodyRefusals = {
  413: problem('The body is too large.'),
  415: problem('The body is not JSON.'),
}
const cursorUnknown = {
  410: problem('The journal has no entry with the number in `after`; `number` is its last.'),
}

/** Made when it is asked for: schemas become JSON, which would take a part of every start. */
export function linkPaths(): OpenApiPaths {
  return {
    [`${linkPrefix}/changes`]: {
      get: {
        ...linkOperation(
          'linkChanges',
          'List repositories and refs that were deleted after an entry of the journal.',
        ),
        parameters: queryOf(changesQuestion),
        responses: { ...answers(changesAnswer), ...cursorUnknown },
      },
    },
    [`${linkPrefix}/quotas`]: {
      get: {
        ...linkOperation(
          'linkQuotas',
          'List the repositories of the storage with their namespaces and quotas, by uid.',
        ),
        parameters: queryOf(quotasQuestion),
        responses: answers(quotasAnswer),
      },
    },
    [`${linkPrefix}/epochs`]: {
      post: {
        ...linkOperation(
          'linkRaiseEpochs',
          'Give repositories new storage URLs after content was deleted.',
        ),
        requestBody: bodyOf(epochsQuestion),
        responses: {
          ...answers(epochsAnswer),
          ...bodyRefusals,
          507: problem('The disk is full; nothing was changed.'),
        },
      },
    },
    [`${linkPrefix}/places`]: {
      post: {
        ...linkOperation('linkPlaces', 'List the uids that do not exist at this hub.'),
        requestBody: bodyOf(placesQuestion),
        responses: { ...answers(placesAnswer), ...bodyRefusals },
      },
    },
    [`${linkPrefix}/forge/{question}`]: {
      post: {
        ...linkOperation('linkForge', 'Answer a question of the forge, as the caller in the body.'),
        parameters: [
          inPath('question', 'The name of the question.', {
            ...text,
            enum: [...forgeQuestions.keys()],
          }),
          {
            ...{ name: 'Latchkey-Forge', in: 'header', required: true },
            description: 'The id of the forge and the id of its start, with a space between them.',
            schema: text,
          },
        ],
        requestBody: bodyOf(forgeBody),
        responses: {
          ...answers(forgeAnswer, 'forge'),
          ...bodyRefusals,
          404: problem('There is no such question.'),
          409: problem('The hub has another forge, or a newer start of this one.'),
        },
      },
    },
  }
}

function linkOperation(operationId: string, summary: string): object {
  return { operationId, summary, tags: ['link'], security: [{ hubToken: [] }] }
}

function queryOf(question: z.ZodObject): object[] {
  return Object.entries(question.shape).map(([name, member]) => {
    const schema = jsonSchema(member as z.ZodType, 'input')
    return { name, in: 'query', required: false, description: schema['description'], schema }
  })
}

function bodyOf(question: z.ZodObject): object {
  return {
    required: true,
    content: { 'application/json': { schema: jsonSchema(question, 'input') } },
  }
}

function answers(answer: z.ZodObject, kind = 'storage'): Record<number, object> {
  return {
    200: json('Done.', jsonSchema(answer, 'output')),
    400: problem('The input is not valid: bad_request, with the path of the mistake.'),
    401: problem('No hub token, or one that is not valid.'),
    403: problem(`The hub token is not of kind ${kind}.`),
    429: problem('Too many requests; Retry-After says when to come back.'),
    500: problem('The service failed.'),
  }
}
