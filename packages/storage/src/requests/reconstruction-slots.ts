/** How many reconstructions are made at once, and by whom. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import type { Asked } from './asked.ts'
import { type Release, shares, type TakeShare, withShare } from './shares.ts'

/** Each account has its share of both. */
export interface ReconstructionSlots {
  /** Until the answer is made. */
  readonly small: TakeShare
  /** Until the answer is sent: it waits in memory for its client to read it. */
  readonly large: TakeShare
}

/** One account with clients that read slowly leaves slots to the others, in every repository. */
export function reconstructionSlots(): ReconstructionSlots {
  const bounds = { waiting: 256, waitSeconds: 50 }
  return {
    small: shares({ inAll: 64, ofAccount: 16, ofRepository: 64, ...bounds }),
    large: shares({ inAll: 16, ofAccount: 2, ofRepository: 8, ...bounds }),
  }
}

/** An answer with so many terms is small. */
const fewTerms = 256

/** What is to be made into an answer. */
interface Found {
  readonly terms: number
}

interface Steps<Wanted extends Found, Made> {
  find(): Promise<Wanted | Refusal>
  make(wanted: Wanted): Promise<Made>
}

/** A large answer holds its slot until it is sent. */
export interface Held<Made> {
  readonly made: Made
  readonly release: Release | undefined
}

/** Everything is found in a small slot; an answer with many terms is made in a large one. */
export async function makeInSlot<Wanted extends Found, Made extends object>(
  { small, large }: ReconstructionSlots,
  { payer, signal }: Asked,
  { find, make }: Steps<Wanted, Made>,
): Promise<Held<Made> | Refusal> {
  const found = await withShare(small(payer, signal), async () => {
    const wanted = await find()
    if (isRefusal(wanted) || wanted.terms > fewTerms) return wanted
    return { made: await make(wanted), release: undefined }
  })
  if (isRefusal(found) || 'made' in found) return found
  const release = await large(payer, signal)
  if (isRefusal(release)) return release
  try {
    return { made: await make(found), release }
  } catch (error) {
    release()
    throw error
  }
}
