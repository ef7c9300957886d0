/** Takes one push: decides about its refs, checks its objects apart from the repository, and moves the refs one by one. */

import { isRefusal } from '@latchkey/protocol'
import { slicePauses } from '@latchkey/service/limits/slices'
import type { ObjectHash, PushCommand, PushReport, Quarantine } from '../git/index.ts'
import { checkLinks } from './check-links.ts'
import { checkObjects, isFault, type PushedObjects } from './check-objects.ts'
import { type JudgedCommand, judgeCommand } from './judge-command.ts'
import { moveRefs } from './move-refs.ts'
import { type PlannedCommand, planCommand } from './plan-command.ts'
import type { Push, PushParts } from './push.ts'
import { PushOutcome } from './push-outcome.ts'

/** About as many as in a history of ten thousand commits. */
const maxObjects = 500_000

export async function runPush(parts: PushParts, push: Push): Promise<PushReport> {
  const { request } = push
  const report = new PushOutcome(request.commands, request.capabilities.has('atomic'))
  const judged = await judge(push, report)
  if (report.isOver(judged.length)) return report.end()
  const isReader = judged.every((one) => one.kind === 'move' && one.permitted.isReader === true)
  const guarded = await push.guard(request.pack, isReader)
  if (isRefusal(guarded)) return report.failed(guarded.detail)
  const needsPack = request.commands.some(({ new: to }) => !isNoObject(to))
  if (!needsPack) return withObjects(parts, push, { report, judged, received: undefined })
  const { repository, signal, maxBytes } = push
  const received = await repository.receivePack(guarded, { maxBytes, maxObjects, signal })
  if (isFault(received)) return report.failed(received.fault)
  try {
    return await withObjects(parts, push, { report, judged, received })
  } finally {
    await received.remove()
  }
}

async function judge(
  { hub, repo, request, defaultBranch, signal, targets }: Push,
  report: PushOutcome,
): Promise<readonly JudgedCommand[]> {
  const found = [...(await targets())]
  const current = new Map(found.map(([name, { object }]) => [name, object]))
  const judging = { hub, repo, defaultBranch, current }
  const judged: JudgedCommand[] = []
  const pause = slicePauses()
  for (const command of request.commands) {
    signal.throwIfAborted()
    await pause()
    const one = await judgeCommand(judging, command)
    if (isFault(one)) report.refuse(command.ref, one.fault)
    else judged.push(one)
  }
  return judged
}

interface Received {
  readonly report: PushOutcome
  readonly judged: readonly JudgedCommand[]
  /** Undefined where refs are only deleted. */
  readonly received: Quarantine | undefined
}

async function withObjects(
  parts: PushParts,
  push: Push,
  { report, judged, received }: Received,
): Promise<PushReport> {
  let objects: PushedObjects | undefined
  if (received !== undefined) {
    const checked = await check(push, judged, received)
    if (isFault(checked)) return report.failed(checked.fault)
    objects = checked
  }
  const planned: PlannedCommand[] = []
  const tips = judged.flatMap((one) => ('to' in one ? [one.to] : []))
  const found = (await received?.endsOf(tips)) ?? []
  const ends = new Map(found.map((end, at) => [tips[at] as ObjectHash, end]))
  const pushed = received && objects && { quarantine: received, objects, ends }
  for (const one of judged) {
    push.signal.throwIfAborted()
    const plan = await planCommand(parts, push, { judged: one, pushed })
    if (isFault(plan)) report.refuse(one.ref, plan.fault)
    else planned.push(plan)
  }
  if (report.isOver(planned.length)) return report.end()
  push.signal.throwIfAborted()
  const moved = await parts.inTurn(push.turn, async () => {
    await moveRefs(parts, push, { planned, quarantine: received, report })
  })
  if (isRefusal(moved)) report.refuseAll(moved.detail)
  return report.end()
}

async function check(push: Push, judged: readonly JudgedCommand[], quarantine: Quarantine) {
  const objects = await checkObjects(quarantine)
  if (isFault(objects)) return objects
  const tips = judged.flatMap((one) => ('to' in one ? [one.to] : []))
  if (tips.length === 0) return objects
  const { isOffered } = push
  const offered = await push.offered()
  return (await checkLinks({ quarantine, objects, tips, offered, isOffered })) ?? objects
}

function isNoObject(hash: PushCommand['new']): boolean {
  return /^0+$/.test(hash)
}
