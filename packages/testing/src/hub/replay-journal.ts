/** Folds the journal, from an empty directory on, to the rows that the tables must hold. */

import { isDeepStrictEqual } from 'node:util'
import {
  eachTable,
  inOrder,
  keyOf,
  type Row,
  type Rows,
  rowsIn,
  type Table,
} from './directory-rows.ts'
import type { Dump } from './dump.ts'
import { columnsOf, type EntryRows, entryRows } from './entry-rows.ts'

/** Both must be equal: the sum of the entries, and the tables. An entry that cannot be true throws. */
export function replayJournal(all: Dump): { readonly told: Rows; readonly held: Rows } {
  const { journal: entries = [], journal_head: heads = [] } = all
  checkNumbers(entries, heads[0])
  const replay = new Replay()
  for (const entry of entries) {
    try {
      replay.add(entry)
    } catch (error) {
      throw new Error(`journal entry ${JSON.stringify(entry)}`, { cause: error })
    }
  }
  return { told: replay.rows(), held: rowsIn(all) }
}

/** Numbers rise, none is below its time, each entry names the one before, and the head is the last. */
function checkNumbers(entries: readonly Row[], head: Row | undefined): void {
  let last = 0
  for (const { number, previous, at_milliseconds } of entries) {
    check(previous === last, `${number} names ${previous} instead of ${last}`)
    check(Number(number) > last, `${number} is not above ${last}`)
    check(Number(number) >= Number(at_milliseconds), `${number} is below its time`)
    last = Number(number)
  }
  check(head?.['number'] === last, `the head is not at ${last}`)
}

/** What is deleted together with a row, as the foreign keys have it. */
const cascades: Partial<Record<Table, readonly (readonly [table: Table, column: string])[]>> = {
  accounts: [
    ['members', 'account_id'],
    ['collaborators', 'account_id'],
    ['team_members', 'account_id'],
    ['group_members', 'account_id'],
    ['hub_tokens', 'account_id'],
    ['identities', 'account_id'],
    ['trusted_publishers', 'account_id'],
  ],
  namespaces: [
    ['members', 'namespace_id'],
    ['teams', 'namespace_id'],
  ],
  teams: [
    ['team_members', 'team_id'],
    ['team_groups', 'team_id'],
    ['group_members', 'team_id'],
    ['team_roles', 'team_id'],
  ],
  repositories: [
    ['refs', 'repository_uid'],
    ['commits', 'repository_uid'],
    ['commit_holders', 'repository_uid'],
    ['collaborators', 'repository_uid'],
    ['trusted_publishers', 'repository_uid'],
    ['team_roles', 'repository_uid'],
  ],
  refs: [['commit_holders', 'ref_uid']],
}

const providerKeys: Partial<Record<Table, readonly string[]>> = {
  team_groups: ['team_id', 'provider', 'group_name'],
  identities: ['issuer', 'subject'],
}

/** The names that an entry gives beside its ids, and where they stand; the id of a commit stands in place of a ref's. */
// biome-ignore format: a table is read by its columns
const names = [
  { id: 'account_id',     name: 'account',    in: { accounts: 'name' } },
  { id: 'namespace_id',   name: 'namespace',  in: { namespaces: 'name' } },
  { id: 'repository_uid', name: 'repository', in: { repositories: 'path' } },
  { id: 'ref_uid',        name: 'ref',        in: { refs: 'name', commits: 'hash' } },
] as const

class Replay {
  readonly #tables = eachTable(() => new Map<string, Row>())

  rows(): Rows {
    return eachTable((table) => inOrder(table, [...this.#tables[table].values()]))
  }

  add(entry: Row): void {
    const rows = entryRows(entry)
    if (rows === undefined) return
    const isDeleted = rows.after === undefined
    if (isDeleted) this.#checkNames(entry)
    if (rows.table === 'commits') this.#record(rows)
    else if (rows.table === 'repositories') {
      this.#change({ ...rows, ids: { ...rows.ids, namespace_id: this.#ownerOf(entry) } })
    } else this.#change(rows)
    if (!isDeleted) this.#checkNames(entry)
    check(entry['did'] === didOf(rows), `it was ${didOf(rows)}`)
  }

  #change({ table, ids, before, after }: EntryRows): void {
    const key = keyOf(table, { ...before, ...after, ...ids })
    const row = this.#tables[table].get(key)
    if (row === undefined) {
      check(before === undefined && after !== undefined, 'it is not there')
      this.#tables[table].set(key, { ...ids, ...after })
      return
    }
    check(before !== undefined, 'it is there already')
    // Of refs that one transaction deletes, each says where it came from, though its origin be gone before it.
    const known = row['from_uid'] === null ? { from_uid: null } : {}
    const rest = after === undefined ? {} : row
    const isSame = isDeepStrictEqual(row, { ...rest, ...ids, ...before, ...known })
    check(isSame, `it is ${JSON.stringify(row)}`)
    const changed = { ...row, ...after }
    const isSilent = table === 'group_members'
    const isChanged = isSilent || !isDeepStrictEqual(row, changed)
    check(after === undefined || isChanged, 'it changes nothing')
    if (after === undefined) this.#remove(table, row)
    else this.#tables[table].set(key, changed)
  }

  /** A commit is on record once; later entries add holders. */
  #record({ ids, after = {} }: EntryRows): void {
    const { holders, ...commit } = after
    const row: Row = { ...ids, ...commit }
    const { repository_uid, hash } = row
    const known = this.#tables.commits.get(keyOf('commits', row))
    const added: readonly Row[] = JSON.parse(String(holders))
    check(isDeepStrictEqual(known ?? row, row), `it is ${JSON.stringify(known)}`)
    check(known === undefined || added.length > 0, 'it changes nothing')
    this.#tables.commits.set(keyOf('commits', row), row)
    for (const { uid, ref, ...since } of added) {
      check(this.#find('refs', uid)?.['name'] === ref, `there is no ${ref}`)
      const holder = { repository_uid, hash, ref_uid: uid, ...columnsOf(since) }
      const key = keyOf('commit_holders', holder)
      check(!this.#tables.commit_holders.has(key), `${ref} holds it already`)
      this.#tables.commit_holders.set(key, holder)
    }
  }

  #remove(table: Table, row: Row): void {
    this.#tables[table].delete(keyOf(table, row))
    const id = row['id'] ?? row['uid']
    this.#removeMembersBy(table, row)
    for (const [child, column] of cascades[table] ?? []) {
      for (const other of this.#tables[child].values()) {
        if (other[column] === id) this.#remove(child, other)
      }
    }
    if (table === 'trusted_publishers') this.#removeAccount(row)
    if (table !== 'refs') return
    for (const [key, other] of this.#tables.refs) {
      if (other['from_uid'] === id) this.#tables.refs.set(key, { ...other, from_uid: null })
    }
  }

  /** Memberships from a provider go with the group of the team, and with the identity of the person. */
  #removeMembersBy(table: Table, row: Row): void {
    const columns = providerKeys[table]
    if (columns === undefined) return
    for (const other of this.#tables.group_members.values()) {
      if (columns.every((column) => other[column] === row[column])) {
        this.#remove('group_members', other)
      }
    }
  }

  /** The service account of a publisher goes with it, by a trigger. */
  #removeAccount({ account_id: id }: Row): void {
    const account = this.#find('accounts', id)
    if (account !== undefined) this.#remove('accounts', account)
  }

  /** The namespace of a repository is told by its path alone. */
  #ownerOf({ repository }: Row): unknown {
    const [, name] = String(repository).split('/')
    const namespaces = [...this.#tables.namespaces.values()]
    return namespaces.find((row) => row['name'] === name)?.['id']
  }

  #checkNames(entry: Row): void {
    for (const { id, name, in: places } of names) {
      const known = Object.entries(places).flatMap(([table, column]) => {
        const row = this.#find(table as Table, entry[id])
        return row === undefined ? [] : [row[column]]
      })
      check(entry[id] === null || known.length === 1, `there is no ${name} ${entry[id]}`)
      check(entry[name] === (known[0] ?? null), `the ${name} is ${known[0]}`)
    }
  }

  #find(table: Table, id: unknown): Row | undefined {
    return this.#tables[table].get(keyOf(table, { id, uid: id }))
  }
}

function didOf({ table, before, after }: EntryRows): string {
  if (table === 'commits') return 'recorded'
  if (before === undefined) return 'created'
  if (after === undefined) return 'deleted'
  return typeof after['revoked_at'] === 'number' ? 'revoked' : 'changed'
}

function check(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise)
}
