/** docs/reference/openapi.json, and docs/reference/admin-api.md from the same document. */

import { readFileSync } from 'node:fs'
import { openApiDocument, verbs } from '@latchkey/admin-api'
import { code, opening, table, wrapped } from './markdown.ts'

interface Schema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly $ref?: string
  readonly description?: string
  readonly default?: unknown
  readonly format?: string
}

interface Content {
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly description?: string
    readonly schema: Schema
  }[]
  readonly requestBody?: Content & { readonly required?: boolean }
  readonly responses: Readonly<Record<string, Content>>
}

interface Route {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

function apiDocument() {
  const manifest = new URL('../../packages/hub/package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  return openApiDocument({ publicUrl: 'https://hub.example', version })
}

export function openApiJson(): string {
  return `${JSON.stringify(apiDocument(), undefined, 1)}\n`
}

export function adminApiPage(): string {
  const routes = routesOf()
  const admin = routes.filter(isAdmin)
  const scopes = new Set(admin.flatMap(({ operation }) => operation.tags))
  return [
    opening('Admin API', 'the OpenAPI document', introduction),
    table(
      ['operation', 'request', 'admin scope'],
      admin.map((route) => [
        `[${wordsOf(route)}](#${wordsOf(route).replaceAll(' ', '-')})`,
        code(`${route.method} ${route.path}`),
        scopeOf(route),
      ]),
    ),
    errors(admin),
    ...Array.from(scopes, (scope) =>
      [`## Scope ${scope}\n`, ...admin.filter((one) => scopeOf(one) === scope).map(section)].join(
        '\n',
      ),
    ),
    others(routes.filter((route) => !isAdmin(route))),
  ].join('\n')
}

const introduction = `
The admin API manages accounts, namespaces, repositories, refs and hub tokens over HTTP. Each operation
is also a command: the \`account create\` operation is the command \`latchkey account create\`, which uses
this API with \`--hub URL\`. See the [command reference](cli.md).

- **Authentication**: send \`Authorization: Bearer <hub token>\` with a hub token of kind \`admin\`. You
  can limit such a hub token to admin scopes with \`--admin-scope\`.
- **Bodies**: send and receive JSON, with \`Content-Type: application/json\`.
- **Pages**: a list has \`items\` and, if there are more, \`next\`. Send \`next\` as \`after\` to get the
  next page.
- **OpenAPI**: each hub serves its document at \`/openapi.json\`. The document of this version is
  [openapi.json](openapi.json).

## Operations
`

function routesOf(): readonly Route[] {
  return Object.entries(apiDocument().paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: operation as Operation,
    })),
  )
}

function isAdmin({ path }: Route): boolean {
  return path.startsWith('/admin/')
}

function scopeOf({ operation }: Route): string {
  return operation.tags.join(', ')
}

function wordsOf({ operation: { operationId } }: Route): string {
  const verb = verbs.find(
    ({ words }) =>
      words.replaceAll(/[ -](\w)/g, (_, letter: string) => letter.toUpperCase()) === operationId,
  )
  return verb?.words ?? operationId
}

/** The text that all operations share for a status. */
function errors(routes: readonly Route[]): string {
  const responses = routes.flatMap(({ operation }) => Object.entries(operation.responses))
  const statuses = [...new Set(responses.map(([status]) => status))].filter(isError).toSorted()
  const rows = statuses.map((status) => {
    const texts = responses.filter(([one]) => one === status).map(([, one]) => one.description)
    return [status, [...new Set(texts)].join(' ')]
  })
  return `## Errors\n\nEvery error is a problem document; see [errors](errors.md#admin-api). Each operation lists its\nstatuses.\n\n${table(['status', 'meaning'], rows)}`
}

function isError(status: string): boolean {
  return Number(status) >= 400
}

function section(route: Route): string {
  const { method, path, operation } = route
  const { summary, parameters = [], requestBody, responses } = operation
  const failures = Object.keys(responses).filter(isError)
  return [
    `### ${wordsOf(route)}\n`,
    `${wrapped(summary)}\n`,
    `\`\`\`text\n${method} ${path}\n\`\`\`\n`,
    ...(parameters.length === 0 ? [] : [parameterTable(parameters)]),
    ...(requestBody === undefined ? [] : [body(requestBody)]),
    ...Object.entries(responses)
      .filter(([status]) => !isError(status))
      .map(([status, response]) => responseTable(status, response)),
    `Errors: ${failures.join(', ')}.\n`,
  ].join('\n')
}

function parameterTable(parameters: NonNullable<Operation['parameters']>): string {
  const rows = parameters.map((one) => [
    code(one.name),
    one.in,
    typeOf(one.schema),
    one.required ? 'yes' : 'no',
    textOf(one.schema, one.description),
  ])
  return table(['parameter', 'in', 'type', 'required', 'description'], rows)
}

function body({ required, content }: NonNullable<Operation['requestBody']>): string {
  const schema = schemaIn(content)
  const optional = required === true ? '' : ' (optional)'
  const rows = membersOf(schema)
  if (rows.length === 0) return `Body${optional}: ${typeOf(schema)}.\n`
  return table([`body${optional}`, 'type', 'required', 'description'], rows)
}

function responseTable(status: string, { content }: Content): string {
  const schema = schemaIn(content)
  const rows = membersOf(schema).map(([name = '', type = '', , about = '']) => [name, type, about])
  if (rows.length === 0) return `Response ${status}: ${typeOf(schema)}.\n`
  return table([`response ${status}`, 'type', 'description'], rows)
}

function schemaIn(content: Content['content']): Schema {
  return Object.values(content ?? {})[0]?.schema ?? {}
}

/** Rows of the members of an object, those of inner objects too. */
function membersOf(schema: Schema, above = ''): readonly (readonly string[])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = `${above}${name}`
    const row = [
      code(path),
      typeOf(member),
      schema.required?.includes(name) === true ? 'yes' : 'no',
      textOf(member),
    ]
    const inner = member.items ?? member
    return [row, ...membersOf(inner, member.items === undefined ? `${path}.` : `${path}[].`)]
  })
}

function textOf({ description, default: standard }: Schema, other = ''): string {
  const about = description ?? other
  return standard === undefined ? about : `${about} Default: ${code(String(standard))}.`.trim()
}

function typeOf(schema: Schema): string {
  const { type, items, $ref } = schema
  const choices = schema.anyOf ?? schema.oneOf
  if (schema.enum !== undefined) return `one of ${schema.enum.map(code).join(', ')}`
  if ($ref !== undefined) return code($ref.split('/').at(-1) ?? $ref)
  if (choices !== undefined) return choices.map(typeOf).join(' or ')
  if (items !== undefined) return `array of ${typeOf(items)}`
  return type ?? 'any JSON'
}

function others(routes: readonly Route[]): string {
  const rows = routes.map(({ method, path, operation }) => [
    code(`${method} ${path}`),
    operation.summary,
  ])
  return `## Other routes\n\nThe OpenAPI document describes these routes too. The [token API](token-api.md) has a page.\n\n${table(['request', 'summary'], rows)}`
}
