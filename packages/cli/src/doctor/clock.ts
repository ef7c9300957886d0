/** Whether the hub and this machine agree about the time. */

import { type Check, everyDatabase } from './basis/check.ts'
import { good, wrong } from './basis/finding.ts'
import { spanOf } from './basis/span.ts'

export const clock: Check = {
  name: 'clock',
  databases: everyDatabase,
  async look({ hub, configuration: { values } }) {
    const answer = await hub()
    if (answer.kind !== 'answers' || answer.aheadMs === undefined) return []
    const { aheadMs } = answer
    const bound = values.leewaySeconds
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
