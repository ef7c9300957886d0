/** A journal entry as rows: the table it is about, the ids of its row, and the columns before and after it. */

import { type Row, type Table, told } from './directory-rows.ts'

export interface EntryRows {
  readonly table: Table
  readonly ids: Row
  readonly before: Row | undefined
  readonly after: Row | undefined
}

interface Thing {
  readonly table: Table
  /** The columns of the entry that hold the ids of the row. */
  readonly ids: Readonly<Record<string, string>>
}

// biome-ignore format: a table is read by its columns
const things: Readonly<Record<string, Thing>> = {
  account:      { table: 'accounts',           ids: { id: 'account_id' } },
  namespace:    { table: 'namespaces',         ids: { id: 'namespace_id' } },
  member:       { table: 'members',            ids: { namespace_id: 'namespace_id', account_id: 'account_id' } },
  repository:   { table: 'repositories',       ids: { uid: 'repository_uid' } },
  collaborator: { table: 'collaborators',      ids: { repository_uid: 'repository_uid', account_id: 'account_id' } },
  publisher:    { table: 'trusted_publishers', ids: { account_id: 'account_id', repository_uid: 'repository_uid' } },
  team:         { table: 'teams',              ids: { namespace_id: 'namespace_id' } },
  'team-member': { table: 'team_members',      ids: { account_id: 'account_id' } },
  'team-group': { table: 'team_groups',        ids: {} },
  'group-member': { table: 'group_members',    ids: { account_id: 'account_id' } },
  'team-role':  { table: 'team_roles',         ids: { repository_uid: 'repository_uid' } },
  ref:          { table: 'refs',               ids: { uid: 'ref_uid', repository_uid: 'repository_uid' } },
  commit:       { table: 'commits',            ids: { uid: 'ref_uid', repository_uid: 'repository_uid' } },
  'hub-token':  { table: 'hub_tokens',         ids: { id: 'hub_token_id', account_id: 'account_id' } },
  identity:     { table: 'identities',         ids: { account_id: 'account_id' } },
  key:          { table: 'signing_keys',       ids: {} },
  prefix:       { table: 'hub_token_prefixes', ids: {} },
  forge:        { table: 'forge',              ids: {} },
}

/** Entries that change no table: a hub has opened its database, the journal begins. */
const unchanging = ['hub', 'journal', 'cut-off']

export function entryRows(entry: Row): EntryRows | undefined {
  const name = String(entry['thing'])
  if (unchanging.includes(name)) return undefined
  const thing = things[name]
  if (thing === undefined) throw new Error(`there is no table for "${name}"`)
  const ids = Object.entries(thing.ids).map(([column, from]) => [column, entry[from]])
  const { before, after } = JSON.parse(String(entry['detail']))
  return {
    table: thing.table,
    ids: Object.fromEntries(ids),
    before: before && told(thing.table, columnsOf(before)),
    after: after && told(thing.table, columnsOf(after)),
  }
}

const columnNames: Readonly<Record<string, string>> = {
  commit: 'commit_hash',
  group: 'group_name',
  from: 'from_name',
  since: 'recorded_at',
}

/** Words and values of the admin API as the tables have them. */
export function columnsOf(image: Row): Row {
  // A team is known by its id; its name is there for people.
  const words = Object.entries(image).filter(([word]) => word !== 'team')
  const columns = words.map(([word, value]) => {
    const column =
      columnNames[word] ?? word.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    return [column, storedValue(column, value)]
  })
  return Object.fromEntries(columns)
}

function storedValue(column: string, value: unknown): unknown {
  if (value === null) return null
  if (column.endsWith('_at') || column === 'until') return Date.parse(String(value)) / 1000
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'object' ? JSON.stringify(value) : value
}
