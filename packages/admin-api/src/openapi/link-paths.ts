/** The routes that a storage follows its hub by, as OpenAPI operations. */

import type { z } from 'zod'
import {
  changesAnswer,
  changesQuestion,
  epochsAnswer,
  epochsQuestion,
  linkPrefix,
  placesAnswer,
  placesQuestion,
} from '../link/questions.ts'
import { json, jsonSchema, problem } from './schemas.ts'

const bodyRefusals = {
  413: problem('The body is too large.'),
  415: problem('The body is not JSON.'),
}
const cursorUnknown = {
  410: problem('The journal does not have the number that `after` names; `number` is its last.'),
}

/** Made when it is asked for: schemas become JSON, which would take a part of every start. */
export function linkPaths(): Readonly<Record<string, Readonly<Record<string, object>>>> {
  return {
    [`${linkPrefix}/changes`]: {
      get: {
        ...operation('linkChanges', 'Tell what was removed after an entry of the journal.'),
        parameters: queryOf(changesQuestion),
        responses: { ...answers(changesAnswer), ...cursorUnknown },
      },
    },
    [`${linkPrefix}/epochs`]: {
      post: {
        ...operation('linkRaiseEpochs', 'Give repositories new addresses after a loss of content.'),
        requestBody: bodyOf(epochsQuestion),
        responses: {
          ...answers(epochsAnswer),
          ...bodyRefusals,
          507: problem('There is no room left to write; nothing was changed.'),
        },
      },
    },
    [`${linkPrefix}/places`]: {
      post: {
        ...operation('linkPlaces', 'Tell which uids belong to nothing in the directory.'),
        requestBody: bodyOf(placesQuestion),
        responses: { ...answers(placesAnswer), ...bodyRefusals },
      },
    },
  }
}

function operation(operationId: string, summary: string): object {
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

function answers(answer: z.ZodObject): Record<number, object> {
  return {
    200: json('Done.', jsonSchema(answer, 'output')),
    400: problem('The input is not understood: bad_request, with the path of the mistake.'),
    401: problem('No hub token, or one that is not valid.'),
    403: problem('The hub token is not of kind storage.'),
    429: problem('Too many requests; Retry-After says when to come back.'),
    500: problem('The service failed.'),
  }
}
