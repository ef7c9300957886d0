/** The description of every route as an OpenAPI 3.1 document, made from the table of verbs. */

import { directoryFile } from '../input/directory-file.ts'
import { pathTemplate } from '../verbs/verb-over-http.ts'
import { verbs } from '../verbs/verbs.ts'
import { describeVerb } from './describe-verb.ts'
import { fixedPaths } from './fixed-paths.ts'
import { linkPaths } from './link-paths.ts'
import { jsonSchema, problemSchema, tokenResponseSchema } from './schemas.ts'

export interface OpenApiOptions {
  readonly publicUrl: string
  readonly version: string
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly [part: string]: unknown
}

export function openApiDocument({ publicUrl, version }: OpenApiOptions): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Latchkey',
      version,
      description: 'Short-lived keys to a content-addressed storage, and who may have them.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
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
            'A hub token; the admin API wants one of kind admin, the link one of kind storage.',
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

function adminPaths(): OpenApiDocument['paths'] {
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
    { name: 'token', description: 'Storage tokens, and what asking for them takes.' },
    { name: 'link', description: 'How a storage follows its hub.' },
    { name: 'operations', description: 'For whoever runs the hub.' },
    ...groups.map((group) => ({ name: group, description: `The verb group ${group}.` })),
  ]
}
