/** Keeps the outcomes of changes, for a forge that did not get a response. */

import type { LinkOutcome } from '@latchkey/admin-api/forge-codec'
import { type Clock, isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import type { Directory, Reading, Tables } from '../tables/directory.ts'
import type { Schema } from '../tables/schema.ts'

type ForgeOperationRow = Schema['forge_operations']

/** Keeps what became of a change with the change, so that a response that is lost can be asked for. */
export function recording(
  directory: Directory,
  operation: string,
  { clock, answerOf }: { readonly clock: Clock; answerOf(result: unknown): unknown },
): Directory {
  return {
    ...directory,
    change: (work, numbers) =>
      directory.note(
        'forge operation',
        async (transaction) => {
          const { tables } = transaction
          if ((await findOperation(tables, operation)) !== undefined) return tooLate
          const result = await work(transaction)
          if (isRefusal(result)) return result
          const answer = answerOf(result)
          const text = answer === undefined ? null : JSON.stringify(answer)
          await keep(tables, { id: operation, is_done: 1, result: text, created_at: clock() })
          return result
        },
        numbers,
      ),
  }
}

const tooLate = refuse(
  'conflict',
  'The forge has given this change up, or it was made already. Send the request again.',
)

/** A change that is not done by now is never done: its id is taken. */
export async function outcomeOf(
  directory: Directory,
  operation: string,
  clock: Clock,
): Promise<LinkOutcome | Refusal> {
  return directory.note('forge operation', async ({ tables }) => {
    const found = await findOperation(tables, operation)
    if (found === undefined) {
      await keep(tables, { id: operation, is_done: 0, result: null, created_at: clock() })
    }
    if (found?.is_done !== 1) return { isDone: false }
    return found.result === null
      ? { isDone: true }
      : { isDone: true, result: JSON.parse(found.result) }
  })
}

function findOperation(tables: Reading, id: string) {
  return tables
    .selectFrom('forge_operations')
    .select(['is_done', 'result'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** No question is under way for so long. */
const keptSeconds = 24 * 3600

async function keep(tables: Tables, row: ForgeOperationRow): Promise<void> {
  const oldest = row.created_at - keptSeconds
  await tables.deleteFrom('forge_operations').where('created_at', '<', oldest).execute()
  await tables.insertInto('forge_operations').values(row).execute()
}
