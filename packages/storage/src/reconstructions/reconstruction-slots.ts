/** How many reconstructions are made at once, and by whom. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import { type Release, type Shares, shares, withShare } from '@latchkey/service/limits/shares'
import type { StorageCall, StorageReply } from '../request/asked.ts'
import type { PlanResult } from './plan-work.ts'
import type { Size } from './planner.ts'

/** Each account has its share of both. */
export interface ReconstructionSlots {
  /** Until the answer is made. */
  readonly small: Shares
  /** Until the answer is sent: it waits in memory for its client to read it. */
  readonly large: Shares
}

/** One account with clients that read slowly leaves slots to the others, in every repository. */
export function reconstructionSlots(): ReconstructionSlots {
  return {
    small: shares({ max: 64, maxOfAccount: 16, reserved: 8 }),
    large: shares({ max: 16, maxOfAccount: 2, maxOfRepository: 8, reserved: 4 }),
  }
}

/**
 * Looks up each file in a small slot. A response with many terms is made in a large one, and holds
 * it until it is sent.
 */
export async function answerInSlot(
  { small, large }: ReconstructionSlots,
  { payer, signal }: Pick<StorageCall, 'payer' | 'signal'>,
  plan: (size: Size) => Promise<PlanResult | Refusal>,
): Promise<StorageReply | Refusal> {
  const planned = await withShare(small.take(payer, signal), () => plan('small'))
  if (isRefusal(planned)) return planned
  if ('json' in planned) return replyWith(planned.json)
  const release = await large.take(payer, signal)
  if (isRefusal(release)) return release
  let reply: StorageReply | undefined
  try {
    const made = await plan('large')
    if (isRefusal(made)) return made
    if ('terms' in made) throw new Error('a large reconstruction was only counted')
    reply = replyWith(made.json, release)
    return reply
  } finally {
    if (reply === undefined) release()
  }
}

function replyWith({ buffer }: Uint8Array<ArrayBuffer>, whenSent?: Release): StorageReply {
  const headers = ['Content-Type', 'application/json']
  return { status: 200, headers, body: Buffer.from(buffer), whenSent }
}
