/** Cuts slots on the calling thread, for platforms where no other thread can share its memory. */

import { type SlotThread, slotCutter, slotMemory, slotsIn } from './cut-slots.ts'

/** One in use, one being cut, and one being filled. */
export const slotCount = 3

export function slotThread(): SlotThread {
  const memory = slotMemory(slotCount)
  const cutter = slotCutter(memory)
  return {
    slots: slotsIn(memory, slotCount),
    cut: async (slot, { isFirst, ...filled }) =>
      cutter.cut(slot, { ...filled, rest: isFirst ? new Uint8Array(0) : undefined }),
    end() {},
  }
}
