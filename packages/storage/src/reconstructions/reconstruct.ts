/** `GET /v1/reconstructions/{hash}` and `/v2/…`: what a file is made of, and URLs to fetch it with. */

import type { Clock, Refusal } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import type { Asked, Handle, Reply } from '../request/asked.ts'
import { bearerOf } from '../request/blob-url-of.ts'
import { parseByteRange } from '../request/byte-range.ts'
import { badRange } from '../request/refusals.ts'
import type { Question } from './make-reconstruction.ts'
import type { PlanReconstruction } from './planner.ts'
import { answerInSlot, type ReconstructionSlots } from './reconstruction-slots.ts'

export interface Reconstructing {
  readonly plan: PlanReconstruction
  readonly slots: ReconstructionSlots
  readonly clock: Clock
  /** How long after its `exp` a token still opens anything. */
  readonly leewaySeconds: number
}

export function reconstruct(reconstructing: Reconstructing, form: 'v1' | 'v2'): Handle {
  return async (asked, hash: Hash) => {
    const range = parseByteRange(asked.range)
    if (range === 'invalid') return badRange
    return answer(reconstructing, asked, { form, files: [hash], range })
  }
}

export function answer(
  { plan, slots, clock, leewaySeconds }: Reconstructing,
  { grant, view, payer, signal }: Asked,
  question: Pick<Question, 'form' | 'files' | 'range'>,
): Promise<Reply | Refusal> {
  return answerInSlot(slots, { payer, signal }, (size) => {
    const bearer = bearerOf(grant, { now: clock(), leewaySeconds })
    return plan(size, { ...question, view, bearer }, signal)
  })
}
