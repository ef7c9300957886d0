/** A process beside the hub: does what `latchkey serve` tells it, and ends when `latchkey serve` has ended. */

import { serveParent } from '@latchkey/service/machine/child/serve-parent'
import { end, explainBreakdown } from '../output/explain-end.ts'
import { exitCodes } from '../output/stop.ts'
import type { CompanionProtocol } from './companion-messages.ts'
import { ownNames } from './companion-metrics.ts'
import type { CompanionKind } from './companions.ts'

interface RunningCompanion {
  readonly url: string
  readonly metrics: { text(): Promise<string> }
  isReady(): Promise<boolean>
  stop(): Promise<void>
}

interface CompanionWork<Order> {
  readonly kind: CompanionKind
  readonly protocol: CompanionProtocol<Order>
  start(order: Order): Promise<RunningCompanion>
}

export function serveCompanion<Order>({ kind, protocol, start }: CompanionWork<Order>): void {
  // Node's warnings are not meant for our users.
  process.removeAllListeners('warning')
  process.stderr.on('error', () => {})
  process.on('uncaughtException', (error) => process.exit(explainBreakdown(error)))
  serveParent(
    {
      name: `the ${kind.name} process`,
      protocol,
      start,
      async answer(running, question) {
        if (question === 'metrics') return ownNames(kind, await running.metrics.text())
        return (await running.isReady()) ? 'ready' : 'not ready'
      },
      failureCode: exitCodes.unavailable,
      leave: (line) => process.exit(end(exitCodes.unavailable, line)),
    },
    `this is the process of a ${kind.name}, which "latchkey serve" starts; run that`,
  )
}
