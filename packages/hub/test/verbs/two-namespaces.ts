/** Two namespaces with an administrator each, and what the one of `acme` must never change. */

import { noEnd } from '../../src/access/access-store.ts'
import type { Reading } from '../../src/tables/directory.ts'
import { hash, type Opened } from './open-directory.ts'

export const twoNamespaces = {
  accounts: [
    ...['ada', 'bob', 'cyd', 'eve'].map((name) => ({ name })),
    { name: 'root', administrator: true },
  ],
  namespaces: [
    {
      name: 'acme',
      members: { ada: 'admin', bob: 'write' },
      teams: { chiefs: { role: 'admin', members: {} }, curators: { role: 'write' } },
    },
    {
      name: 'beta',
      members: { cyd: 'admin', ada: 'write' },
      teams: { curators: { role: 'read' } },
    },
  ],
  repositories: [
    { type: 'model', id: 'acme/bert', branches: { main: hash(1) } },
    { type: 'dataset', id: 'beta/set', branches: { main: hash(1) } },
  ],
  hubTokens: [{ account: 'bob', name: 'laptop', kind: 'write' }],
}

type Store = Pick<Opened, 'store'>

/** Whether acme has an administrator: an account that is not disabled, with the role itself or by a membership without an end. */
export function isLed({ store }: Store): Promise<boolean> {
  return store.directory.read(async (tables) => {
    const { id } = await findAcme(tables)
    const members = await tables
      .selectFrom('members')
      .innerJoin('accounts', 'accounts.id', 'members.account_id')
      .select('accounts.id')
      .where('members.namespace_id', '=', id)
      .where('members.role', '=', 'admin')
      .where('accounts.disabled', '=', 0)
      .execute()
    const inTeams = await tables
      .selectFrom('team_access')
      .innerJoin('accounts', 'accounts.id', 'team_access.account_id')
      .select('accounts.id')
      .where('team_access.place_id', '=', id)
      .where('administers_until', '=', noEnd)
      .where('accounts.disabled', '=', 0)
      .execute()
    return members.length + inTeams.length > 0
  })
}

function findAcme(tables: Reading) {
  return tables
    .selectFrom('namespaces')
    .selectAll()
    .where('name', '=', 'acme')
    .executeTakeFirstOrThrow()
}

/** Everything but the namespace acme: accounts, hub tokens, other namespaces with their roles and repositories. */
export function outside({ store }: Store): Promise<unknown> {
  return store.directory.read(async (tables) => {
    const acme = await findAcme(tables)
    const people = tables.selectFrom('accounts').select('id').where('kind', '=', 'user')
    return [
      await tables
        .selectFrom('accounts')
        .selectAll()
        .where('kind', '=', 'user')
        .orderBy('id')
        .execute(),
      await tables.selectFrom('hub_tokens').selectAll().orderBy('id').execute(),
      await tables.selectFrom('namespaces').selectAll().orderBy('id').execute(),
      await tables
        .selectFrom('members')
        .selectAll()
        .where('namespace_id', '<>', acme.id)
        .orderBy('account_id')
        .execute(),
      await tables
        .selectFrom('teams')
        .selectAll()
        .where('namespace_id', '<>', acme.id)
        .orderBy('id')
        .execute(),
      await tables
        .selectFrom('repositories')
        .selectAll()
        .where('namespace_id', '<>', acme.id)
        .orderBy('uid')
        .execute(),
      await tables
        .selectFrom('repositories')
        .selectAll()
        .where('namespace_id', '=', acme.id)
        .where('path', 'not like', '%/acme/%')
        .execute(),
      await tables.selectFrom('signing_keys').selectAll().execute(),
      await tables
        .selectFrom('cut_offs')
        .selectAll()
        .where('kind', 'in', ['all', 'account', 'hub-token', 'key'])
        // The account of a trusted publisher ends with it.
        .where(({ or, eb }) => or([eb('kind', '<>', 'account'), eb('id', 'in', people)]))
        .execute(),
    ]
  })
}
