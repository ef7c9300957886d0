/** Namespaces: the first half of a repository's id, and the place where members are. */

import { formatTime, type Refusal, refuse, type UnixSeconds } from '@latchkey/protocol'
import { newId } from '@latchkey/service/random'
import type { Selectable } from 'kysely'
import { z } from 'zod'
import { countOf, nameIs, sameName } from './columns.ts'
import type { Tables, Work } from './directory.ts'
import { operation } from './operation.ts'
import { makePage, pageOf, paging } from './page.ts'
import type { Schema } from './schema.ts'
import { moment, name } from './words.ts'

export type NamespaceRow = Selectable<Schema['namespaces']>

export const namedNamespace = name.describe('The name of the namespace.')

const namespace = z.object({ id: z.string(), name: z.string(), createdAt: moment })

export const createNamespace = operation({
  summary: 'Make a namespace, in which repositories can be made.',
  input: z.strictObject({
    name: name.describe('The name of the new namespace, unique ignoring case.'),
  }),
  output: namespace,
  async run(work, input) {
    const { tables } = work
    const taken = await tables
      .selectFrom('namespaces')
      .selectAll()
      .where(sameName(input.name))
      .executeTakeFirst()
    if (taken !== undefined) return namespaceTaken(taken.name)
    const row = newNamespaceRow(work, input.name)
    await tables.insertInto('namespaces').values(row).execute()
    return showNamespace(row)
  },
})

export const showOneNamespace = operation({
  summary: 'Show one namespace.',
  input: z.strictObject({ namespace: namedNamespace }),
  output: namespace,
  async run({ tables }, input) {
    const row = await findNamespace(tables, input.namespace)
    return row === undefined ? noNamespace(input.namespace) : showNamespace(row)
  },
})

export const listNamespaces = operation({
  summary: 'List the namespaces by name.',
  input: z.strictObject({ ...paging }),
  output: pageOf(namespace),
  async run({ tables }, { limit, after = '' }) {
    const rows = await tables
      .selectFrom('namespaces')
      .selectAll()
      .where('name', '>', after)
      .orderBy('name')
      .limit(limit + 1)
      .execute()
    const total = await countOf(tables.selectFrom('namespaces'))
    return makePage({ rows, total, limit }, showNamespace, (row) => row.name)
  },
})

export const deleteNamespace = operation({
  summary: 'Delete a namespace that holds no repositories any more.',
  input: z.strictObject({ namespace: namedNamespace }),
  output: z.object({ deleted: z.string().describe('The namespace that is gone.') }),
  async run({ tables }, input) {
    const row = await findNamespace(tables, input.namespace)
    if (row === undefined) return noNamespace(input.namespace)
    return (await removeNamespace(tables, row)) ?? { deleted: row.name }
  },
})

export async function removeNamespace(
  tables: Tables,
  { id, name }: NamespaceRow,
): Promise<Refusal | undefined> {
  const held = await countOf(tables.selectFrom('repositories').where('namespace_id', '=', id))
  if (held > 0) return namespaceNotEmpty(name, held)
  await tables.deleteFrom('namespaces').where('id', '=', id).execute()
  return undefined
}

export function newNamespaceRow({ now, randomBytes }: Work, name: string): NamespaceRow {
  return { id: newId(randomBytes), name, created_at: now }
}

export function findNamespace(tables: Tables, name: string): Promise<NamespaceRow | undefined> {
  return tables.selectFrom('namespaces').selectAll().where(nameIs(name)).executeTakeFirst()
}

export function noNamespace(name: string): Refusal {
  return refuse(
    'resource_not_found',
    `There is no namespace "${name}". Names are matched exactly; create the namespace first.`,
  )
}

export function namespaceTaken(name: string): Refusal {
  return refuse(
    'conflict',
    `There is a namespace "${name}" already, and names must differ by more than case. Choose another name.`,
  )
}

function namespaceNotEmpty(name: string, held: number): Refusal {
  const repositories = held === 1 ? '1 repository' : `${held} repositories`
  return refuse(
    'conflict',
    `The namespace "${name}" still holds ${repositories}. Delete them first, then the namespace.`,
  )
}

function showNamespace({ id, name, created_at }: NamespaceRow): z.input<typeof namespace> {
  return { id, name, createdAt: formatTime(created_at as UnixSeconds) }
}
