/** The files of the admin client that come from the table of operations: `write-admin-client.ts`. */

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import {
  adminPrefix,
  directoryFile,
  hasBody,
  jsonSchema,
  operationId,
  segmentsOf,
  type Verb,
  verbs,
  whoami,
} from '@latchkey/admin-api'
import { root } from '../packages/packages.ts'
import { comment, type Schema, Types } from './types-of.ts'

const folder = join(root, 'packages/admin-client/src/operations')
const origin = 'Written by scripts/write-admin-client.ts from the table of packages/admin-api.'

/** The files and their texts. */
export function operationFiles(): Readonly<Record<string, string>> {
  return {
    [join(folder, 'rows.ts')]: formatted(rowsFile()),
    [join(folder, 'types.ts')]: formatted(typesFile()),
  }
}

function rowsFile(): string {
  const rows = verbs.map((verb) => {
    const { words, method } = verb
    const shown = secretsIn(jsonSchema(verb.output, 'output'))
    const row = { words, method, path: templateOf(verb), hasBody: hasBody(verb), shown }
    return `  ${operationId(verb)}: ${JSON.stringify(row)},`
  })
  return `/** ${origin} */

export interface OperationRow {
  /** The words of the command: \`account create\`. */
  readonly words: string
  readonly method: string
  /** \`{repository:3}\` is three segments. */
  readonly path: string
  /** Whether members that the path does not name are in the body; otherwise they are in the query. */
  readonly hasBody: boolean
  /** Where the response has a secret, by the members on the way. */
  readonly shown: readonly (readonly string[])[]
}

export const rows = {
${rows.join('\n')}
  whoami: { words: 'whoami', method: 'GET', path: '/api/whoami', hasBody: false, shown: [] },
} as const satisfies Readonly<Record<string, OperationRow>>
`
}

function templateOf({ path }: Verb): string {
  const template = path.replace(/\{(\w+)\}/g, (whole, member: string) => {
    const { length } = segmentsOf(member)
    return length === 1 ? whole : `{${member}:${length}}`
  })
  return adminPrefix + template
}

function secretsIn(schema: Schema): readonly (readonly string[])[] {
  if (schema.format === 'password') return [[]]
  if (schema.items !== undefined) return secretsIn(schema.items)
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    secretsIn(member).map((rest) => [name, ...rest]),
  )
}

function typesFile(): string {
  const types = new Types()
  types.named(jsonSchema(directoryFile, 'input'), 'DirectoryFile', 'DirectoryFile', fileSummary)
  const results = new Map(verbs.toSorted(shownFirst).map((verb) => [verb, resultOf(verb, types)]))
  const methods = verbs.map((verb) => {
    const input = jsonSchema(verb.input, 'input') as Schema
    const name = `${capital(operationId(verb))}Input`
    types.declare(input, name, `The input of \`${operationId(verb)}\`.`)
    const mark = (input.required ?? []).length === 0 ? '?' : ''
    return `${comment(verb.summary)}${operationId(verb)}(input${mark}: ${name}, options?: OperationOptions): Promise<${results.get(verb)}>`
  })
  types.named(jsonSchema(whoami, 'output'), 'Whoami', 'Whoami')
  return `/** ${origin} */

import type { Secret } from '@latchkey/protocol'

export interface OperationOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined
}

/** A function for each operation, with the name that it has in OpenAPI. */
export interface Operations {
${methods.join('\n')}
/** Show the account and the hub token of this client; any hub token may. */
whoami(input?: Readonly<Record<string, never>>, options?: OperationOptions): Promise<Whoami>
}

${types.declarations.join('\n\n')}
`
}

const fileSummary = 'An apply file: the objects that a hub shall have.'

/** The result of \`show\` names the type of a noun. */
function shownFirst(one: Verb, other: Verb): number {
  return Number(!one.words.endsWith(' show')) - Number(!other.words.endsWith(' show'))
}

const nouns: Readonly<Record<string, string>> = {
  repo: 'Repository',
  keys: 'KeySteps',
  revoke: 'RevocationResult',
  changes: 'Changes',
  explain: 'Explanation',
  apply: 'ApplyResult',
}

function resultOf(verb: Verb, types: Types): string {
  const schema = jsonSchema(verb.output, 'output') as Schema
  const [noun = ''] = verb.words.split(' ')
  const name = nouns[noun] ?? capital(operationId({ words: noun as Verb['words'] }))
  const result = `${capital(operationId(verb))}Result`
  const { deleted, items } = schema.properties ?? {}
  if (deleted !== undefined) return types.named(schema, `${name}Deleted`, result)
  if (items?.items === undefined) return types.named(schema, name, result)
  const item = noun === 'keys' ? 'Key' : noun === 'changes' ? 'Change' : name
  types.named(items.items, item, `${item}Entry`)
  return types.named(schema, `${item}List`, result)
}

function capital(text: string): string {
  return text.replace(/^./, (first) => first.toUpperCase())
}

function formatted(code: string): string {
  const words = ['check', '--write', '--stdin-file-path=packages/admin-client/src/operations/a.ts']
  const { stdout, stderr } = spawnSync('biome', words, { cwd: root, input: code, encoding: 'utf8' })
  if (stdout === '') throw new Error(stderr)
  return stdout
}
