/** Plans a directory file beside other writers, and tells whether a plan is still true. */

import { isRefusal, journalNumber, type Refusal } from '@latchkey/protocol'
import type { Caller } from '../identity/caller.ts'
import { findHead } from '../journal/read-journal.ts'
import type { Reading } from '../tables/directory.ts'
import type { Applying } from './applying.ts'
import type { Concerns } from './concerns.ts'
import { type Plan, planFile } from './plan-file.ts'

export interface DrawnPlan {
  readonly plan: Plan
  readonly actor: Caller | undefined
  /** The journal's last number when the plan was begun. */
  readonly since: number
}

export function drawPlan(applying: Applying): Promise<DrawnPlan | 'outdated' | Refusal> {
  const { directory, identify, file, prune, loseContent, concerns } = applying
  return directory.readBeside(async (tables) => {
    const actor = await identify()
    if (isRefusal(actor)) return actor
    const { number: since } = await findHead(tables)
    // Stands for the number of the transaction that will write it.
    const number = journalNumber(since + 1)
    const options = { prune, loseContent }
    const plan = await planFile({ ...applying, tables, actor, number }, file, options)
    // Not every database reads from one snapshot, so that a refusal could come from two.
    if (await isOutdated(tables, since, concerns)) return 'outdated'
    return isRefusal(plan) ? plan : { plan, actor, since }
  })
}

/** Whether the journal tells of something that a plan depends on, after this number. */
export async function isOutdated(
  tables: Reading,
  since: number,
  concerns: Concerns,
): Promise<boolean> {
  const { number, pruned_through } = await findHead(tables)
  if (number === since) return false
  if (pruned_through > since) return true
  const entries = await tables
    .selectFrom('journal')
    .select(['thing', 'account', 'namespace', 'repository'])
    .distinct()
    .where('number', '>', since)
    .execute()
  return entries.some(concerns)
}
