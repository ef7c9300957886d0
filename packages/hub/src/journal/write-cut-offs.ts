/** Writes the cut-offs of changes, in the transaction of their entries. */

import type { JournalNumber } from '@latchkey/protocol'
import { sql } from 'kysely'
import { roleToWrite } from '../permission/reach.ts'
import type { Change, CommitChange } from '../tables/change.ts'
import { chunked, countOf } from '../tables/columns.ts'
import type { Reading, Tables } from '../tables/directory.ts'
import type { Beginning } from './append-entries.ts'
import { type CutOff, cutOffsOf } from './cut-offs-of.ts'

export async function writeCutOffs(
  tables: Tables,
  changes: readonly Change[],
  beginning: Beginning,
): Promise<void> {
  const areLimited = limitsByRefs(tables)
  const refsOf = (change: CommitChange) => refsOfCommit(tables, change, areLimited)
  const all = new Map<string, CutOff>()
  for (const change of changes) {
    for (const cut of await cutOffsOf(change, beginning, refsOf)) {
      all.set(`${cut.kind}:${cut.id}`, cut)
    }
  }
  for (const some of chunked([...all.values()])) {
    const rows = some.map((cut) => ({ ...cut, made: beginning.number }))
    // What is cut for ever stays so.
    await tables
      .insertInto('cut_offs')
      .values(rows)
      .onConflict((both) =>
        both.columns(['kind', 'id']).doUpdateSet({
          number: sql`case when cut_offs.number > excluded.number then cut_offs.number else excluded.number end`,
          made: sql`excluded.made`,
        }),
      )
      .execute()
  }
  if (all.size > 0) await boundCutOffs(tables, beginning.number)
}

/** A list of so many is half of what a gate takes. */
const mostCutOffs = 50_000

/** Where there are too many, one that ends every token takes the place of all but those of keys. */
async function boundCutOffs(tables: Tables, number: JournalNumber): Promise<void> {
  const others = tables.selectFrom('cut_offs').where('kind', '!=', 'key')
  if ((await countOf(others)) <= mostCutOffs) return
  await tables.deleteFrom('cut_offs').where('kind', '!=', 'key').execute()
  const everything = { kind: 'all', id: '', number, made: number } as const
  await tables.insertInto('cut_offs').values(everything).execute()
}

/** The uids that such tokens name; none where every hub token and every role that sufficed before suffices still. */
async function refsOfCommit(
  tables: Reading,
  { repository, commit, holders }: CommitChange,
  areLimited: AreLimited,
): Promise<readonly string[]> {
  const rules = JSON.parse(repository.ref_rules)
  const isClosed = holders.some(({ name }) => roleToWrite(rules, name) === 'admin')
  if (!isClosed && !(await areLimited())) return []
  const tags = await tables
    .selectFrom('refs')
    .select('uid')
    .where('repository_uid', '=', repository.uid)
    .where('commit_hash', '=', commit.hash)
    .where('name', 'like', 'refs/tags/%')
    .execute()
  return [commit.uid, ...tags.map(({ uid }) => uid)]
}

/** Whether there is a hub token that may use some refs and not others. */
type AreLimited = () => Promise<boolean>

/** Looked up once for all changes of a transaction. */
function limitsByRefs(tables: Reading): AreLimited {
  let found: Promise<boolean> | undefined
  return () => {
    found ??= findLimited(tables)
    return found
  }
}

async function findLimited(tables: Reading): Promise<boolean> {
  const limited = await tables
    .selectFrom('hub_tokens')
    .select('id')
    .where('revoked_at', 'is', null)
    .where(sql<boolean>`cast(grants as text) like '%"refs"%'`)
    .limit(1)
    .executeTakeFirst()
  return limited !== undefined
}
