/** Cuts slots on the thread that asks for it, where there is no other that could share its memory. */

import { type CutSlot, type FileSlot, slotCutter, slotMemory, slotsIn } from './cut-slots.ts'

/** One that is used, one that is cut, and one that is filled. */
export const slotCount = 3

export interface SlotThread {
  readonly slots: readonly Uint8Array[]
  /** Answers come in the order of the calls. */
  cut(slot: number, filled: FileSlot): Promise<CutSlot>
  end(): void
}

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
