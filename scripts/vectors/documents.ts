/** The files of `vectors/` as text, by their paths there; `decisions.json` is written by hand. */

import { worldText } from '@latchkey/conform'
import { clientDocument } from './client-cases.ts'
import { publishedDocument } from './published-cases.ts'
import { requestDocument } from './request-cases.ts'
import { responseDocument } from './response-cases.ts'
import { revocationDocument } from './revocation-cases.ts'
import { schemas } from './schema/schemas.ts'
import { scopeDocument } from './scope-cases.ts'
import { tokenDocument } from './token-cases.ts'
import { tokenPathDocument } from './token-path-cases.ts'
import { visibilityDocument } from './visibility-cases.ts'

type Member = readonly unknown[] | object | string | number

export const documents: Readonly<Record<string, string>> = {
  'client.json': fileOf({ ...clientDocument }),
  'paths.json': fileOf(tokenPathDocument),
  'published.json': fileOf(publishedDocument),
  'requests.json': fileOf(requestDocument),
  'responses.json': fileOf(responseDocument),
  'revocations.json': fileOf(revocationDocument),
  'scope-rules.json': fileOf(scopeDocument),
  'tokens.json': fileOf(tokenDocument),
  'visibility.json': fileOf(visibilityDocument),
  'world.json': worldText(),
  ...Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [`schema/${name}`, schemaFileOf(name, schema)]),
  ),
}

function fileOf(document: Readonly<Record<string, Member>>): string {
  const members = Object.entries(document).map(([key, value]) => `  "${key}": ${textOf(value)}`)
  return `{\n${members.join(',\n')}\n}\n`
}

/** A list has one element a line, so that a change shows as the lines it concerns. */
function textOf(value: Member): string {
  if (!Array.isArray(value)) return JSON.stringify(value)
  return `[\n${value.map((element) => `    ${JSON.stringify(element)}`).join(',\n')}\n  ]`
}

function schemaFileOf(name: string, schema: object | boolean): string {
  const head = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `The form of ${name}`,
  }
  return `${JSON.stringify({ ...head, ...Object(schema) }, null, 2)}\n`
}
