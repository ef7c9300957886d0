/** Answers the hot path from PostgreSQL: one round trip for a question, and one statement for all of a turn. */

import { type AccountId, formatRepoRef } from '@latchkey/protocol'
import { DatabaseAway, type PostgresDatabase } from '@latchkey/service/postgres'
import type { AccessStore, Looked, StoreAnswer, StoreQuestion } from '../../access/access-store.ts'
import { inBatches } from './batches.ts'
import { findStatement } from './find-statement.ts'
import type { FollowedHead } from './follow-head.ts'
import { callerIn, type FoundRow, repositoryIn } from './found-rows.ts'

/** Few enough that a statement stays short for those who wait for it. */
const batching = { atOnce: 3, mostInOne: 200 }

interface Row {
  readonly hash: string | null
  readonly account: AccountId | null
  readonly about: Looked | undefined
}

export function postgresAccess(
  database: Pick<PostgresDatabase<unknown>, 'query'>,
  { schema, head }: { readonly schema: string; readonly head: FollowedHead },
): AccessStore {
  const text = findStatement(schema)
  const ask = inBatches<Row, FoundRow>(
    (rows) => database.query<FoundRow>({ name: 'latchkey_find', text, values: valuesOf(rows) }),
    batching,
  )
  const askCurrent = async (row: Row): Promise<FoundRow> => {
    const { number } = head.version()
    const found = await ask(row)
    // After a failover the server may have lost what this hub has seen.
    if (found.is_replica === 1 || found.head_number < number) throw new DatabaseAway(older)
    return found
  }
  return {
    isExact: false,
    version: () => head.version(),
    isFresh: head.isFresh,
    find: (question) => find(question, askCurrent),
    async findPrefixes() {
      const rows = await database.query<{ prefix: string }>({
        name: 'latchkey_prefixes',
        text: `SELECT prefix FROM ${schema}.hub_token_prefixes`,
      })
      return new Set(rows.map(({ prefix }) => prefix))
    },
  }
}

const older = 'The database is a replica, or older than this hub has seen it.'

async function find(
  { hubTokenHash, about, viewerOf }: StoreQuestion,
  ask: (row: Row) => Promise<FoundRow>,
): Promise<StoreAnswer> {
  const known = hubTokenHash === undefined ? viewerOf(undefined) : undefined
  if (hubTokenHash === undefined && known === undefined) return nothing
  const hash = hubTokenHash ?? null
  const row = await ask({ hash, account: known?.accountId ?? null, about })
  const caller = callerIn(row)
  const viewer = known ?? viewerOf(caller)
  if (viewer === undefined || about === undefined) return { caller, repository: undefined }
  // The statement has guessed who looks. Only the access room decides it.
  const account = viewer.accountId ?? null
  const seen = row.viewer === account ? row : await ask({ hash: null, account, about })
  return { caller, repository: repositoryIn(seen) }
}

const nothing: StoreAnswer = { caller: undefined, repository: undefined }

/** A list for each column of the questions; an empty branch is the default one. */
function valuesOf(rows: readonly Row[]): readonly unknown[] {
  const names = rows.map(({ about }) => about?.names)
  return [
    rows.map(({ hash }) => hash),
    rows.map(({ account }) => account),
    rows.map(({ about }) => (about === undefined ? null : formatRepoRef(about.repo))),
    names.map((some) => some?.commit ?? null),
    names.map((some) => some?.tag ?? null),
    names.map((some) => (some?.moving === 'default branch' ? '' : (some?.moving ?? null))),
  ]
}
