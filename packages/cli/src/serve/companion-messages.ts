/** The questions and the answers of a process beside the hub. */

import type { ChildProtocol } from '@latchkey/service/machine/child/messages'

export type CompanionQuestion = 'readiness' | 'metrics'

export type CompanionProtocol<Order> = ChildProtocol<Order, CompanionQuestion, string>

export const companionTalk: Pick<CompanionProtocol<never>, 'isQuestion' | 'isAnswer'> = {
  isQuestion: (value) => value === 'readiness' || value === 'metrics',
  isAnswer: (value) => typeof value === 'string',
}
