/** A directory with rows in every table, and with what makes a copy difficult. */

import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { type Dump, dump } from '@latchkey/testing/hub/dump'
import { type Prepared, prepareData } from '@latchkey/testing/hub/prepared-data'
import { expect } from 'vitest'
import { latchkeyHere } from '../run-here.ts'

export async function prepareFull(folder: string): Promise<Prepared> {
  const prepared = await prepareData(folder)
  const run = async (...args: readonly string[]) => {
    const ended = await latchkeyHere([...args, '--data', prepared.data], { cwd: folder })
    expect(ended, args.join(' ')).toMatchObject({ code: 0 })
    return ended.stdout
  }
  // Its commits keep the name of a holder that is gone.
  await run('ref', 'delete', 'models/acme/bert', 'release/1')
  await run('member', 'delete', 'acme', 'reader')
  await run(
    ...[
      'publisher',
      'create',
      'models/acme/bert',
      'ci',
      '--preset',
      'other',
      '--contents',
      'write',
    ],
    ...['--issuer', 'https://ci.example', '--claim', 'sub=job', '--ref', 'main'],
  )
  const listed = JSON.parse(await run('hub-token', 'list', '--json'))
  const { id } = listed.items.find(({ kind }: { kind: string }) => kind === 'read')
  await run('hub-token', 'revoke', id)
  changeFile(prepared.database)
  const empty = Object.entries(dump(prepared.database)).flatMap(([table, rows]) =>
    rows.length === 0 ? [table] : [],
  )
  expect(empty).toEqual([])
  return prepared
}

/** What commands leave only after a longer life. */
function changeFile(file: string): void {
  const database = new DatabaseSync(file)
  database.exec(`
    UPDATE journal_head SET is_open = 1;
    INSERT INTO settings VALUES ('a setting', 'with a ''quote'', é and 😀');
    -- A fork that stands before its origin, with more rows between them than one statement inserts.
    UPDATE refs SET position = -1 WHERE from_uid IS NOT NULL;
    WITH RECURSIVE some (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM some WHERE n < 600)
      INSERT INTO refs (uid, repository_uid, name, commit_hash, created_at)
        SELECT 'filler-' || n, repository_uid, 'refs/heads/filler-' || n, commit_hash, created_at
        FROM some, (SELECT * FROM refs WHERE position = -1);
    UPDATE refs SET position = 100000 WHERE uid IN (SELECT from_uid FROM refs);
    -- The first holder of a commit has gone: the second came later than the commit.
    DELETE FROM past_holders WHERE name = hash;
    UPDATE commit_holders SET recorded_at = recorded_at + 5, recorded_number = recorded_number + 5000;
    INSERT INTO sessions
      SELECT id, 'corp', NULL, created_at, created_at + 900, NULL, created_at FROM hub_tokens WHERE kind = 'read';
    INSERT INTO identities SELECT 'https://login.example', id, id, 'corp', created_at FROM accounts;
    INSERT INTO id_token_uses VALUES ('https://ci.example', 'a hash', 2, 1790000000);
    INSERT INTO refused_exchanges
      SELECT 7, repository_uid, 1790000000, name, issuer, 'too old', claims FROM trusted_publishers;
    UPDATE journal_head SET is_open = 0, mark = 9007199254740991;
    UPDATE hub_tokens SET last_used_at = created_at + 1 WHERE kind = 'admin';
    UPDATE journal_head SET pruned_through = 5;
    INSERT INTO teams SELECT 'team', id, 'vision', 'write', 1790000000 FROM namespaces LIMIT 1;
    INSERT INTO team_members SELECT 'team', id, 1795000000 FROM accounts LIMIT 1;
    INSERT INTO team_groups VALUES ('team', 'corp', 'staff');
    INSERT INTO group_members
      SELECT 'team', 'corp', 'staff', issuer, subject, account_id, 1795000000 FROM identities LIMIT 1;
    INSERT INTO provider_tokens SELECT issuer, subject, 'corp', 'sealed', 1790000000 FROM identities LIMIT 1;
    INSERT INTO leases VALUES ('work', 'a hub', 1790000000);
    INSERT INTO forge VALUES (1, 'a forge', 'a start');
    INSERT INTO forge_operations VALUES ('an operation', 1, '{"commit":"é"}', 1790000000);
    INSERT INTO team_roles SELECT uid, 'team', 'read' FROM repositories LIMIT 1;
    INSERT INTO device_families SELECT 'family', id, 'latchkey', 'latchkey', 'write', '192.0.2.1', 'corp', 'maker', 1790000000, 1795000000
      FROM accounts LIMIT 1;
    INSERT INTO refresh_tokens SELECT 'a hash', 'family', id, 1790000000, 1790000300, 'sealed' FROM hub_tokens LIMIT 1;
    INSERT INTO device_codes SELECT 'a hash', 'BCDFGHJK', 'latchkey', 'write', '192.0.2.1', '192.0.2.1', null, '192.0.2.1', 1790000000,
      1790000600, 1790000100, 1790000100000, id, 'a session', 1795000000, 1790000200, 'sealed' FROM accounts LIMIT 1;
  `)
  database.close()
}

/** Every row, in an order that does not depend on who inserted it when. */
export function rowsIn(file: string): Dump {
  const { sqlite_sequence: _, ...tables } = dump(file)
  return Object.fromEntries(
    Object.entries(tables).map(([table, rows]) => [
      table,
      rows
        .map((row) => ({ row, text: JSON.stringify(row, bytesAsHex) }))
        .sort((one, other) => (one.text < other.text ? -1 : 1))
        .map(({ row }) => row),
    ]),
  )
}

/** Otherwise each byte is a member of an object. */
function bytesAsHex(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
}

/** Of thousands of rows: `toEqual` takes longer than the copy. */
export function expectSame(found: object, wanted: object): void {
  if (!isDeepStrictEqual(found, wanted)) expect(found).toEqual(wanted)
}
