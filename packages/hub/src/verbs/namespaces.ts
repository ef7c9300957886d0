/** Namespaces: the first half of a repository's id, and the place where members are. */

import {
  defaultStorage,
  formatTime,
  type Refusal,
  refuse,
  type StorageName,
  type UnixSeconds,
} from '@latchkey/protocol'
import { newId } from '@latchkey/service/machine/random'
import { refuseUnknownStorage } from '../minting/storage-names.ts'
import { countOf, nameIs, sameName } from '../tables/columns.ts'
import type { ChangeWork, Reading, Work } from '../tables/directory.ts'
import type { NamespaceRow } from '../tables/rows.ts'
import { type Does, makePage } from './does.ts'
import {
  changedQuota,
  type DividedBytes,
  dividedBytes,
  noneDivided,
  type QuotaWish,
  refuseOverdivided,
} from './quotas.ts'

export const createNamespace: Does<'namespace create'> = async (work, input) => {
  const { tables, put } = work
  const similar = await tables
    .selectFrom('namespaces')
    .selectAll()
    .where(sameName(input.name))
    .executeTakeFirst()
  if (similar !== undefined) return namespaceTaken(similar.name)
  const unknown = await refuseUnknownStorage(tables, input.storage)
  if (unknown !== undefined) return unknown
  const row = newNamespaceRow(work, input)
  await put([{ thing: 'namespace', after: row }])
  return namespaceOutput(row, noneDivided)
}

export const showNamespace: Does<'namespace show'> = async ({ tables }, input) => {
  const row = await findNamespace(tables, input.namespace)
  if (row === undefined) return noNamespace(input.namespace)
  return namespaceOutput(row, await dividedBytes(tables, [row]))
}

export const listNamespaces: Does<'namespace list'> = async ({ tables }, { limit, after = '' }) => {
  const rows = await tables
    .selectFrom('namespaces')
    .selectAll()
    .where('name', '>', after)
    .orderBy('name')
    .limit(limit + 1)
    .execute()
  const total = await countOf(tables.selectFrom('namespaces'))
  const divided = await dividedBytes(tables, rows)
  return makePage(
    { rows, total, limit },
    (row) => namespaceOutput(row, divided),
    (row) => row.name,
  )
}

export const setNamespace: Does<'namespace set'> = async ({ tables, put }, input) => {
  const before = await findNamespace(tables, input.namespace)
  if (before === undefined) return noNamespace(input.namespace)
  const unknown = await refuseUnknownStorage(tables, input.storage)
  if (unknown !== undefined) return unknown
  const after = changedNamespaceRow(before, input)
  const divided = await dividedBytes(tables, [after])
  const overdivided = input.quota && refuseOverdivided(after, divided.get(after.id))
  if (overdivided !== undefined) return overdivided
  await put([{ thing: 'namespace', before, after }])
  return namespaceOutput(after, divided)
}

export const deleteNamespace: Does<'namespace delete'> = async (work, input) => {
  const row = await findNamespace(work.tables, input.namespace)
  if (row === undefined) return noNamespace(input.namespace)
  return (await removeNamespace(work, row)) ?? { deleted: row.name }
}

async function removeNamespace(
  { tables, put }: ChangeWork,
  row: NamespaceRow,
): Promise<Refusal | undefined> {
  const inside = tables.selectFrom('repositories').where('namespace_id', '=', row.id)
  const first = await inside.select('path').orderBy('path').limit(1).executeTakeFirst()
  if (first !== undefined) return namespaceNotEmpty(row.name, await countOf(inside), first.path)
  await put([{ thing: 'namespace', before: row }])
  return undefined
}

interface NamespaceWish {
  readonly storage?: StorageName | undefined
  readonly quota?: QuotaWish | undefined
}

interface NewNamespace extends NamespaceWish {
  readonly name: string
}

export function newNamespaceRow(
  { now, randomBytes }: Work,
  { name, ...wish }: NewNamespace,
): NamespaceRow {
  const plain = { id: newId(randomBytes), name, created_at: now, storage: null, quota_bytes: null }
  return changedNamespaceRow(plain, wish)
}

export function changedNamespaceRow(
  row: NamespaceRow,
  { storage, quota }: NamespaceWish,
): NamespaceRow {
  return { ...row, storage: storage ?? row.storage, quota_bytes: changedQuota(row, quota) }
}

export function findNamespace(tables: Reading, name: string): Promise<NamespaceRow | undefined> {
  return tables.selectFrom('namespaces').selectAll().where(nameIs(name)).executeTakeFirst()
}

export function noNamespace(name: string): Refusal {
  return refuse(
    'resource_not_found',
    `There is no namespace "${name}". Names are matched exactly; create the namespace first.`,
    { next: ['namespace', 'create', name] },
  )
}

export function namespaceTaken(name: string): Refusal {
  return refuse(
    'conflict',
    `There is a namespace "${name}" already, and names must differ by more than case. Choose another name.`,
    { next: ['namespace', 'show', name] },
  )
}

export function namespaceNotEmpty(name: string, held: number, first: string): Refusal {
  const repositories = held === 1 ? '1 repository' : `${held} repositories`
  return refuse(
    'conflict',
    `The namespace "${name}" still holds ${repositories}. Delete them first, then the namespace.`,
    { next: ['repo', 'delete', first] },
  )
}

function namespaceOutput(
  { id, name, storage, quota_bytes, created_at }: NamespaceRow,
  divided: DividedBytes,
) {
  const quota = quota_bytes !== null && {
    quotaBytes: quota_bytes,
    dividedBytes: divided.get(id) ?? 0,
  }
  return {
    id,
    name,
    storage: storage ?? defaultStorage,
    ...quota,
    createdAt: formatTime(created_at as UnixSeconds),
  }
}
