/** Bounds how many questions are under way at once: in all, and for one hub token, so that none takes the slots of the others. */

import type { HubTokenId } from '@latchkey/protocol'

/** Gives the function that frees the slot; undefined when none is left. */
export type TakeSlot = (hubTokenId: HubTokenId) => (() => void) | undefined

const mostInAll = 256

/** Long polls of one hub token. */
const mostWaiting = 8

export function waitingSlots(mostOfOneToken = mostWaiting): TakeSlot {
  const taken = new Map<HubTokenId, number>()
  let inAll = 0
  const count = (hubTokenId: HubTokenId, change: 1 | -1) => {
    inAll += change
    const own = (taken.get(hubTokenId) ?? 0) + change
    if (own === 0) taken.delete(hubTokenId)
    else taken.set(hubTokenId, own)
  }
  return (hubTokenId) => {
    if (inAll >= mostInAll || (taken.get(hubTokenId) ?? 0) >= mostOfOneToken) return undefined
    count(hubTokenId, 1)
    return () => count(hubTokenId, -1)
  }
}
