import type { Quarantine } from '../git/index.ts'
import { fetchFirst } from './judge-command.ts'
import type { PlannedCommand } from './plan-command.ts'
import type { Push, PushParts } from './push.ts'
import type { PushOutcome } from './push-outcome.ts'

export interface MovingRefs {
  readonly planned: readonly PlannedCommand[]
  readonly quarantine: Quarantine | undefined
  readonly report: PushOutcome
}

/** To be called in the repository's turn. */
export async function moveRefs(
  parts: PushParts,
  { repository, signal }: Push,
  { planned, quarantine, report }: MovingRefs,
): Promise<void> {
  const current = await repository.refs()
  const isStill = ({ ref, old }: PlannedCommand) => current.get(ref) === old
  for (const { ref } of planned.filter((one) => !isStill(one))) report.refuse(ref, fetchFirst.fault)
  const left = planned.filter(isStill)
  if (report.isOver(left.length)) return
  await quarantine?.keep()
  // `a` may go before `a/b` comes.
  const inOrder = left.toSorted((one, other) => Number(other.isDeletion) - Number(one.isDeletion))
  for (const { ref, run } of inOrder) {
    try {
      const refused = await run()
      if (refused === undefined) report.done(ref)
      else report.refuse(ref, refused.detail)
    } catch (error) {
      if (!signal.aborted) parts.logFailure(error)
      report.refuse(ref, 'The hub failed. Fetch to see whether the ref was changed.')
      report.refuseAll('another ref of this push failed')
      return
    }
    if (report.isAtomic && report.hasRefused) return
  }
}
