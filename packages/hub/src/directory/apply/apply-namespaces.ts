/** The namespaces of a directory file, with their members. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import { type NamespaceRow, namespaceTaken, newNamespaceRow } from '../namespaces.ts'
import { type Applying, type ApplyStep, at } from './applying.ts'
import { insertAll } from './batch.ts'
import { breathe } from './breathe.ts'
import type { NamespaceEntry } from './directory-file.ts'
import { compareRoles, type HeldRole } from './roles.ts'

type NewMember = HeldRole & { readonly namespace_id: string }

export const applyNamespaces: ApplyStep<NamespaceEntry> = async (applying, entries) => {
  const { work, namespaces, changes } = applying
  const created: NamespaceRow[] = []
  const members: NewMember[] = []
  for (const [index, entry] of entries.entries()) {
    await breathe(index)
    const stored = namespaces.get(entry.name.toLowerCase())
    if (stored !== undefined && stored.name !== entry.name) {
      return at(['namespaces', index, 'name'], namespaceTaken(stored.name))
    }
    const row = stored ?? newNamespaceRow(work, entry.name)
    if (stored === undefined) {
      created.push(row)
      namespaces.set(row.name.toLowerCase(), row)
    }
    const added = await replaceMembers(applying, row, { index, entry, isNew: !stored })
    if (isRefusal(added)) return added
    members.push(...added.members)
    if (stored === undefined) changes.push({ what: 'namespace', name: row.name, did: 'created' })
    else if (added.changed) changes.push({ what: 'namespace', name: row.name, did: 'changed' })
  }
  await insertAll(work.tables, 'namespaces', created)
  await insertAll(work.tables, 'members', members)
  return undefined
}

interface Place {
  readonly index: number
  readonly entry: NamespaceEntry
  readonly isNew: boolean
}

async function replaceMembers(
  applying: Applying,
  { id }: NamespaceRow,
  { index, entry, isNew }: Place,
): Promise<{ members: NewMember[]; changed: boolean } | Refusal> {
  if (entry.members === undefined) return { members: [], changed: false }
  const { tables } = applying.work
  const mine = tables.selectFrom('members').where('namespace_id', '=', id)
  const stored = isNew ? [] : await mine.select(['account_id', 'role']).execute()
  const path = ['namespaces', index, 'members']
  const roles = compareRoles(applying, stored, entry.members, path)
  if (isRefusal(roles)) return roles
  for (const accountId of roles.dropped) {
    await tables
      .deleteFrom('members')
      .where('namespace_id', '=', id)
      .where('account_id', '=', accountId)
      .execute()
  }
  const members = roles.added.map((held) => ({ ...held, namespace_id: id }))
  return { members, changed: members.length + roles.dropped.length > 0 }
}
