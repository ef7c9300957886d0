/** The description of every route as an OpenAPI 3.1 document, made from the table of verbs. */

import {
  json,
  license,
  type OpenApiDocument,
  type OpenApiPaths,
  problem,
  problemSchema,
} from '@latchkey/service/http/openapi'
import { directoryFile } from '../input/directory-file.ts'
import {
  hasBody,
  memberNames,
  operationId,
  pathTemplate,
  segmentsOf,
  statusWhenDone,
} from '../verbs/verb-over-http.ts'
import { type Verb, verbs } from '../verbs/verbs.ts'
import { fixedPaths, linkPaths } from './fixed-paths.ts'
import { jsonSchema, repositoryTypeSchema, tokenResponseSchema } from './schemas.ts'

export interface OpenApiOptions {
  readonly publicUrl: string
  readonly version: string
}

export function openApiDocument({ publicUrl, version }: OpenApiOptions): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Latchkey',
      version,
      description:
        'Short-lived tokens for a content-addressed storage, and the permissions to get them.',
      license,
    },
    servers: [{ url: publicUrl }],
    tags: tags(),
    paths: { ...fixedPaths(), ...linkPaths(), ...adminPaths() },
    components: {
      securitySchemes: {
        hubToken: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A hub token; the admin API needs one of kind admin, the link one of kind storage.',
        },
      },
      schemas: {
        Problem: problemSchema,
        TokenResponse: tokenResponseSchema,
        DirectoryFile: jsonSchema(directoryFile, 'input'),
      },
    },
  }
}

function adminPaths(): OpenApiPaths {
  const paths: Record<string, Record<string, object>> = {}
  for (const verb of verbs) {
    const path = pathTemplate(verb)
    paths[path] = { ...paths[path], [verb.method.toLowerCase()]: describeVerb(verb) }
  }
  return paths
}

function tags(): { name: string; description: string }[] {
  const groups = Array.from(new Set(verbs.map(({ group }) => group)))
  return [
    { name: 'token', description: 'Requests for storage tokens.' },
    { name: 'link', description: 'Routes with which a storage follows its hub.' },
    { name: 'operations', description: 'Routes for operators of the hub.' },
    ...groups.map((group) => ({ name: group, description: `The admin scope ${group}.` })),
  ]
}

interface Member {
  readonly description?: string
  readonly [keyword: string]: unknown
}

type Members = Readonly<Record<string, Member>>

const anyText = { type: 'string' }
const segmentSchemas: Members = { repositoryType: repositoryTypeSchema }

function describeVerb(verb: Verb): object {
  const { group, summary, output } = verb
  return {
    operationId: operationId(verb),
    summary,
    tags: [group],
    security: [{ hubToken: [] }],
    ...inputOf(verb),
    responses: {
      [statusWhenDone(verb)]: json('Done.', jsonSchema(output, 'output')),
      ...refusals(verb),
    },
  }
}

function inputOf(verb: Verb): object {
  const { properties, required } = inputSchema(verb)
  const inPath = memberNames(verb)
  const rest = Object.entries(properties).filter(([member]) => !inPath.includes(member))
  const parameters = inPath.flatMap((member) => pathParameters(member, properties[member] ?? {}))
  if (!hasBody(verb)) {
    const isRequired = (member: string) => required.includes(member)
    const query = rest.map(([member, schema]) => inQuery(member, schema, isRequired(member)))
    return { parameters: [...parameters, ...query] }
  }
  if (rest.length === 0) return { parameters }
  const schema = {
    type: 'object',
    properties: Object.fromEntries(rest),
    required: required.filter((member) => !inPath.includes(member)),
    additionalProperties: false,
  }
  const mustHave = schema.required.length > 0
  return {
    parameters,
    requestBody: { required: mustHave, content: { 'application/json': { schema } } },
  }
}

function inputSchema({ input }: Verb): { properties: Members; required: readonly string[] } {
  const { properties, required } = jsonSchema(input, 'input')
  return { properties: (properties ?? {}) as Members, required: (required ?? []) as string[] }
}

/** A member of several segments is as many parameters: a parameter cannot hold a slash. */
function pathParameters(member: string, schema: Member): object[] {
  const segments = segmentsOf(member)
  if (segments.length === 1) return [parameter(member, schema)]
  return segments.map((segment) => parameter(segment, segmentSchemas[segment] ?? anyText))
}

function parameter(name: string, schema: Member): object {
  return { ...described(schema), name, in: 'path', required: true, schema }
}

function inQuery(name: string, schema: Member, required: boolean): object {
  return { ...described(schema), name, in: 'query', required, schema }
}

function described({ description }: Member): object {
  return description === undefined ? {} : { description }
}

function refusals(verb: Verb): Record<string, object> {
  return {
    400: problem('The input is not valid: bad_request, with the path of the mistake.'),
    401: problem('No hub token, or one that is not valid.'),
    403: problem(
      'The hub token is not of kind admin, lacks the admin scope, or would create a hub token with more rights.',
    ),
    ...(namesSomething(verb) ? { 404: problem('An object in the request does not exist.') } : {}),
    ...(verb.words === 'changes'
      ? { 410: problem('The journal has no entry with the number in `after`.') }
      : {}),
    ...(verb.method === 'GET'
      ? {}
      : {
          409: problem('The change conflicts with the current state.'),
          507: problem('The disk is full; nothing was changed.'),
        }),
    ...(hasBody(verb)
      ? {
          413: problem('The body is too large.'),
          415: problem('The body is not JSON.'),
        }
      : {}),
    429: problem('Too many requests; Retry-After says when to come back.'),
    500: problem('The service failed.'),
  }
}

/** Members that name what must be there already, wherever in the request they stand. */
const mustExist = ['account', 'namespace', 'repository', 'hubToken', 'kid', 'file']

/** The journal knows of things that are gone. */
function namesSomething({ words, input }: Verb): boolean {
  if (words === 'changes') return false
  // It asks about a provider of the configuration.
  if (words === 'explain sign-in') return true
  return mustExist.some((member) => Object.hasOwn(input.shape, member))
}
