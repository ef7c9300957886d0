/** Whether the hub and this machine agree about the time. */

import { type Check, good, spanOf, wrong } from '@latchkey/service/checks'
import type { Installation } from './basis/installation.ts'

export const clock: Check<Installation> = {
  name: 'clock',
  async run({ hub, leewaySeconds: bound }) {
    const answer = await hub()
    if (answer.kind !== 'answers' || answer.aheadMs === undefined) return []
    const { aheadMs } = answer
    if (Math.abs(aheadMs) <= bound * 1000) {
      return [good(`the hub and this machine are less than ${bound} s apart`)]
    }
    const where = aheadMs > 0 ? 'ahead of' : 'behind'
    return [
      wrong(
        `the hub is ${spanOf(aheadMs)} ${where} this machine`,
        `Set the wrong one, and keep both on NTP: beyond ${bound} s (leewaySeconds) tokens are refused.`,
      ),
    ]
  },
}
