/** What a directory says, without what chance and time have chosen: two that were made differently can be compared. */

import type { Opened } from '../verbs/open-directory.ts'

type Row = Readonly<Record<string, unknown>>

/** Ids, moments and secrets; whatever refers to a row does so by its name. */
const chosen = new Set([
  ...['id', 'uid', 'position', 'secret_hash', 'hint', 'created_at', 'last_used_at', 'epoch'],
  ...['forked_at', 'forked_number', 'recorded_at', 'recorded_number', 'revoked_at'],
])

export async function meaningOf(opened: Opened): Promise<Record<string, string[]>> {
  const tables = (await opened.everything()) as Record<string, Row[]>
  const names = new Map<unknown, unknown>()
  for (const { id, name } of [...rowsOf(tables, 'accounts'), ...rowsOf(tables, 'namespaces')]) {
    names.set(id, name)
  }
  for (const { uid, path } of rowsOf(tables, 'repositories')) names.set(uid, path)
  for (const { uid, name, repository_uid } of rowsOf(tables, 'refs')) {
    names.set(uid, `${names.get(repository_uid)}@${name}`)
  }
  const live = Object.entries(tables).map(([table, rows]) => [
    table,
    rows
      .filter(({ revoked_at }) => revoked_at === undefined || revoked_at === null)
      .map((row) =>
        JSON.stringify(
          Object.entries(row).flatMap(([column, value]) =>
            chosen.has(column) ? [] : [[column, names.get(value) ?? value]],
          ),
        ),
      )
      .sort(),
  ])
  return Object.fromEntries(live)
}

function rowsOf(tables: Record<string, Row[]>, table: string): readonly Row[] {
  return tables[table] ?? []
}
