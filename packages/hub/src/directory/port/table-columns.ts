/** Every column of every table, and which ones are its key: what copies a whole directory goes by this list. */

import type { Schema } from './schema.ts'

export type TableName = keyof Schema

type Columns = {
  readonly [Table in TableName]: { readonly [Column in keyof Schema[Table]]: 'key' | 'value' }
}

/** A table stands after those that its rows refer to. */
const columns: Columns = {
  settings: { name: 'key', value: 'value' },
  hub_token_prefixes: { prefix: 'key', first_used_at: 'value' },
  signing_keys: {
    kid: 'key',
    purpose: 'value',
    alg: 'value',
    sealed: 'value',
    created_at: 'value',
    activates_at: 'value',
    activated_at: 'value',
    retired_at: 'value',
    longest_lifetime: 'value',
  },
  accounts: {
    id: 'key',
    name: 'value',
    kind: 'value',
    administrator: 'value',
    disabled: 'value',
    created_at: 'value',
  },
  namespaces: { id: 'key', name: 'value', created_at: 'value' },
  members: { namespace_id: 'key', account_id: 'key', role: 'value' },
  repositories: {
    uid: 'key',
    namespace_id: 'value',
    path: 'value',
    visibility: 'value',
    default_branch: 'value',
    ref_rules: 'value',
    created_at: 'value',
    epoch: 'value',
  },
  collaborators: { repository_uid: 'key', account_id: 'key', role: 'value' },
  refs: {
    position: 'key',
    uid: 'value',
    repository_uid: 'value',
    name: 'value',
    commit_hash: 'value',
    from_name: 'value',
    from_uid: 'value',
    forked_at: 'value',
    forked_number: 'value',
    created_at: 'value',
  },
  commits: { repository_uid: 'key', hash: 'key', uid: 'value', recorded_at: 'value' },
  commit_holders: {
    position: 'key',
    repository_uid: 'value',
    hash: 'value',
    ref_uid: 'value',
    recorded_at: 'value',
    recorded_number: 'value',
  },
  past_holders: { repository_uid: 'key', hash: 'key', name: 'key' },
  hub_tokens: {
    id: 'key',
    account_id: 'value',
    name: 'value',
    kind: 'value',
    secret_hash: 'value',
    hint: 'value',
    grants: 'value',
    verb_groups: 'value',
    created_at: 'value',
    expires_at: 'value',
    revoked_at: 'value',
    last_used_at: 'value',
  },
  cut_offs: { kind: 'key', id: 'key', number: 'value', made: 'value' },
  journal: {
    number: 'key',
    previous: 'value',
    at_milliseconds: 'value',
    verb: 'value',
    thing: 'value',
    did: 'value',
    actor_account_id: 'value',
    actor_account: 'value',
    actor_hub_token: 'value',
    actor_user: 'value',
    request_id: 'value',
    account_id: 'value',
    account: 'value',
    hub_token_id: 'value',
    namespace_id: 'value',
    namespace: 'value',
    repository_uid: 'value',
    repository: 'value',
    ref_uid: 'value',
    ref: 'value',
    narrows: 'value',
    detail: 'value',
  },
  journal_head: {
    only_row: 'key',
    number: 'value',
    pruned_through: 'value',
    mark: 'value',
    is_open: 'value',
  },
}

export const tableNames = Object.keys(columns) as readonly TableName[]

export function columnsOf(table: TableName): readonly string[] {
  return Object.keys(columns[table])
}

export function keyOf(table: TableName): readonly string[] {
  return Object.entries(columns[table]).flatMap(([name, role]) => (role === 'key' ? [name] : []))
}
