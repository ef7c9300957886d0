/** Every statement that changes a table of the directory, and every change without an entry: short lists, kept by hand. */

import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { codeOf, filesWith, sources } from '@latchkey/testing/source-files'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openSqliteStore } from '../../src/stores/sqlite/open-store.ts'
import type { Bookkeeping, Reading, Transaction } from '../../src/tables/directory.ts'

/** By file, each with its reason to go around `put`. The storage has a database of its own. */
const mayWrite: Readonly<Record<string, { readonly why: string; readonly to: readonly string[] }>> =
  {
    'hub/src/data/demo-tokens.ts': {
      why: 'marks a data directory as a demo, once and for the start alone',
      to: ['insertInto settings'],
    },
    'hub/src/forge/forge-operations.ts': {
      why: 'notes what became of the changes of a forge, in their transactions',
      to: ['deleteFrom forge_operations', 'insertInto forge_operations'],
    },
    'hub/src/forge/forge-place.ts': {
      why: 'notes which start of the forge is the newest',
      to: ['updateTable forge'],
    },
    'hub/src/journal/append-entries.ts': {
      why: 'appends the entries',
      to: ['insertInto journal', 'updateTable journal_head'],
    },
    'hub/src/journal/bound-cut-offs.ts': {
      why: 'writes what the change of an entry cuts off, in its transaction',
      to: ['deleteFrom cut_offs', 'insertInto cut_offs'],
    },
    'hub/src/journal/forget.ts': {
      why: 'takes back approvals that no device has used, and deletes refresh tokens of providers, in the transaction that ends their sign-ins',
      to: ['deleteFrom provider_tokens', 'updateTable device_codes'],
    },
    'hub/src/journal/journaled-directory.ts': {
      why: 'makes the change of an entry, in its transaction',
      to: ['delete from any', 'insertInto table', 'updateTable tableOf'],
    },
    'hub/src/journal/prune-journal.ts': {
      why: 'removes entries that are older than the operator keeps them, and cut-offs once no token can be alive that they would end',
      to: ['deleteFrom cut_offs', 'deleteFrom journal', 'updateTable journal_head'],
    },
    'hub/src/journal/renew-memberships.ts': {
      why: 'prolongs memberships for as long as their provider names the group, without an entry for each time',
      to: ['updateTable group_members', 'updateTable journal_head'],
    },
    'hub/src/keys/rewrap.ts': {
      why: 'encrypts the refresh tokens of providers with another master key',
      to: ['updateTable provider_tokens'],
    },
    'hub/src/minting/storage-names.ts': {
      why: 'notes the names of the storages that the configuration of a hub has, for commands on the database',
      to: ['insertInto settings'],
    },
    'hub/src/oauth/device-codes.ts': {
      why: 'notes which programs wait for a sign-in, and what became of them; the hub tokens that they get have entries',
      to: ['delete from device_codes', 'insertInto device_codes', 'updateTable device_codes'],
    },
    'hub/src/oauth/families.ts': {
      why: 'notes refresh tokens, which open nothing; the hub tokens that they are exchanged for have entries',
      to: [
        ...['insertInto device_families', 'insertInto refresh_tokens'],
        'updateTable refresh_tokens',
      ],
    },
    'hub/src/operations/housekeeping.ts': {
      why: 'notes when a hub token was last used, which changes nothing that anybody may do',
      to: ['updateTable hub_tokens'],
    },
    'hub/src/sign-in/end-unconfigured.ts': {
      why: 'deletes refresh tokens of providers that are not configured any more',
      to: ['deleteFrom provider_tokens'],
    },
    'hub/src/sign-in/open-session.ts': {
      why: 'writes the part of a session beside its hub token, in the transaction of its entry',
      to: ['insertInto sessions'],
    },
    'hub/src/sign-in/provider-tokens.ts': {
      why: 'keeps the refresh tokens of providers, which change nothing that anybody may do',
      to: [
        ...['deleteFrom provider_tokens', 'insertInto provider_tokens'],
        'updateTable provider_tokens',
      ],
    },
    'hub/src/sign-in/session-port.ts': {
      why: 'notes when a browser last used a session, which changes nothing that anybody may do',
      to: ['updateTable sessions'],
    },
    'hub/src/stores/postgres/exchange-counts.ts': {
      why: 'tells other hubs what was let through, in a table that is not of the directory',
      to: ['delete from any', 'insert into any'],
    },
    'hub/src/stores/postgres/known-server.ts': {
      why: 'notes which server the directory is on, and ends every token when it is another',
      to: ['insertInto settings'],
    },
    'hub/src/stores/postgres/migrations/0001-directory.ts': {
      why: 'begins the journal; triggers keep the names of deleted holders, delete the account of a deleted publisher, and mark every write for the caches',
      to: [
        ...['delete from accounts', 'insert into journal', 'insert into journal_head'],
        ...['insert into past_holders', 'update journal_head'],
      ],
    },
    'hub/src/stores/sqlite/migrations/0001-directory.ts': {
      why: 'begins the journal; triggers keep the names of deleted holders, delete the account of a deleted publisher, and mark every write for the caches',
      to: [
        ...['delete from accounts', 'insert into journal', 'insert into journal_head'],
        ...['insert into past_holders', 'update journal_head'],
      ],
    },
    'hub/src/stores/team-access.ts': {
      why: 'triggers keep the roles that accounts have through their teams, and remove members before their team',
      to: ['delete from any', 'delete from team_access', 'insert into team_access'],
    },
    'hub/src/tables/delete-devices.ts': {
      why: 'deletes what devices left behind that ended long ago; their hub tokens have entries',
      to: ['deleteFrom device_codes', 'deleteFrom device_families', 'updateTable refresh_tokens'],
    },
    'hub/src/tables/lease.ts': {
      why: 'notes which hub does a piece of work',
      to: ['deleteFrom leases', 'insertInto leases'],
    },
    'hub/src/trusted-publishers/exchange-id-token.ts': {
      why: 'counts how often an id token was exchanged',
      to: ['deleteFrom id_token_uses', 'insertInto id_token_uses'],
    },
    'hub/src/trusted-publishers/refused-exchanges.ts': {
      why: 'notes the newest refused exchanges for the owners of a repository',
      to: ['deleteFrom refused_exchanges', 'insertInto refused_exchanges'],
    },
    'hub/src/verbs/refuse-losing.ts': {
      why: 'marks the repositories that another service holds, whose refs no command deletes while their content is needed',
      to: ['deleteFrom settings', 'insertInto settings'],
    },
    'service/src/copy/copy-between.ts': {
      why: 'copies every row, those of the journal too, into a database that was empty, and gives the copy the head of the journal',
      to: ['deleteFrom table', 'insertInto table', 'updateTable copied', 'updateTable head'],
    },
    'service/src/postgres/migrate-postgres.ts': {
      why: 'writes down the version of a schema',
      to: ['insert into schema_version', 'update schema_version'],
    },
  }

/** Which files write without an entry, and of which kind it is. */
const mayNote: Readonly<Record<Bookkeeping, readonly string[]>> = {
  'device code': ['hub/src/oauth/device-codes.ts', 'hub/src/tables/delete-devices.ts'],
  'refresh token': ['hub/src/oauth/families.ts', 'hub/src/tables/delete-devices.ts'],
  'database server': ['hub/src/stores/postgres/known-server.ts'],
  'demo mark': ['hub/src/data/demo-tokens.ts'],
  'held mark': ['hub/src/verbs/refuse-losing.ts'],
  'cut-off retention': ['hub/src/journal/prune-journal.ts'],
  'journal retention': ['hub/src/journal/prune-journal.ts'],
  lease: ['hub/src/tables/lease.ts'],
  'membership renewal': ['hub/src/sign-in/renew-memberships.ts'],
  'provider token': [
    'hub/src/keys/rewrap.ts',
    'hub/src/sign-in/end-unconfigured.ts',
    'hub/src/sign-in/provider-tokens.ts',
  ],
  'id token use': ['hub/src/trusted-publishers/exchange-id-token.ts'],
  'forge claim': ['hub/src/forge/forge-place.ts'],
  'forge operation': ['hub/src/forge/forge-operations.ts'],
  'refused exchange': ['hub/src/trusted-publishers/exchange-id-token.ts'],
  'last use': ['hub/src/operations/housekeeping.ts'],
  'session seen': ['hub/src/sign-in/open-session.ts', 'hub/src/sign-in/session-port.ts'],
  'storage names': ['hub/src/minting/storage-names.ts'],
}

describe('nothing changes the directory but its journal', () => {
  test('exactly the listed files have a statement that changes a table of the directory', () => {
    const written = Object.entries(mayWrite).map(([file, { to }]) => [file, [...to].sort()])
    const found = sources
      // The one has a database of its own, the other tells git what to update.
      .filter((file) => !/^(?:storage|forge)\//.test(file))
      .map((file) => [file, statementsIn(file)] as const)
    expect(found.filter(([, statements]) => statements.length > 0)).toEqual(written)
  })

  test('no file builds a statement in a way that this test does not read', () => {
    const other = /\bsql\.raw\b|\bCompiledQuery\b|\bexecuteQuery\b|\.(?:create|alter|drop)Table\b/
    // What runs the statements that the builder makes, and names of columns in statements of the storage.
    expect(filesWith(other)).toEqual([
      // The columns that name the server, which every other statement of a hub has as text.
      'hub/src/stores/postgres/known-server.ts',
      'service/src/postgres/one-client-dialect.ts',
      'storage/src/catalog/dialect.ts',
    ])
    // The lock of a download is an empty file; the copy of a catalogue in a backup is no directory.
    expect(filesWith(/\bnew DatabaseSync\b/)).toEqual([
      'service/src/database/open-database.ts',
      'service/src/machine/exclusive-lock.ts',
      'storage/src/backup/restored-identity.ts',
    ])
  })

  test('exactly the listed files write without an entry, each for its reason', () => {
    const port = 'hub/src/tables/directory.ts'
    for (const [kind, files] of Object.entries(mayNote)) {
      expect(filesWith(new RegExp(`'${kind}'`)), kind).toEqual([...files, port].sort())
    }
    const noting = filesWith(/\bnote\b[^\n(]*\(\s*'/)
    expect(noting).toEqual([...new Set(Object.values(mayNote).flat())].sort())
  })

  test('a connection that reads beside the writers cannot write', async () => {
    const store = openSqliteStore(join(temporaryFolder(), 'hub.db'))
    const write = store.readBeside((tables) => tables.deleteFrom('journal').execute())
    await expect(write).rejects.toThrow(/readonly/)
    store.close()
  })
})

/** Compiles because each line would not; the types are all that is asked. */
export async function types(reading: Reading, { tables }: Transaction): Promise<void> {
  for (const looks of [reading, tables]) {
    // @ts-expect-error: no insert
    looks.insertInto('accounts')
    // @ts-expect-error: no update
    looks.updateTable('accounts')
    // @ts-expect-error: no delete
    looks.deleteFrom('accounts')
    // @ts-expect-error: no replace
    looks.replaceInto('accounts')
    // @ts-expect-error: no merge
    looks.mergeInto('accounts')
    // @ts-expect-error: no transaction with the whole of it
    looks.transaction()
    // @ts-expect-error: no text either
    await sql`delete from accounts`.execute(looks)
  }
  const only: Record<keyof Reading | keyof Transaction['tables'], true> = { selectFrom: true }
  expect(only).toBeDefined()
}

/** What follows UPDATE where a trigger is declared. */
const wordsOfTriggers = new Set(['SET', 'OF', 'ON', 'OR'])

/** Without those on the storage's tables. */
function statementsIn(file: string): string[] {
  const code = codeOf(file)
  const built = code.matchAll(
    /\.\s*(insertInto|updateTable|deleteFrom|replaceInto|mergeInto)\s*\(\s*'?(\w+)/g,
  )
  const written = code.matchAll(
    /\b(insert\s+(?:or\s+\w+\s+)?into|update|delete\s+from|replace\s+into)\s+(\w+|\$\{)/gi,
  )
  const found = Array.from([...built, ...written], ([, what = '', table = '']) => ({
    what: /^[a-z]+[A-Z]/.test(what) ? what : what.toLowerCase().replace(/\s+/g, ' '),
    table: table.replace('${', 'any'),
  }))
  const ours = found.filter(
    ({ table }) => !table.startsWith('stored_') && !wordsOfTriggers.has(table),
  )
  return [...new Set(ours.map(({ what, table }) => `${what} ${table}`))].sort()
}
