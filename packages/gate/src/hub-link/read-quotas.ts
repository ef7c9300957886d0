/** Reads the quotas in an answer of the hub. What is not as agreed is refused: a wrong limit would close repositories. */

import { isId, isJournalNumber } from '@latchkey/protocol'
import { type HubAnswer, oddAnswer, refusedQuestion } from './failed-question.ts'
import type { QuotaPage, QuotaStates } from './hub-link.ts'

/** As many as a hub puts into one page. A storage writes all of them down at once. */
const maxStates = 1000

export function readQuotas(answer: HubAnswer, after: string | undefined): QuotaPage {
  const { status, value } = answer
  if (status !== 200) throw refusedQuestion(answer)
  const states = quotaStatesIn(value, answer)
  const { next } = Object(value)
  if (next === undefined) return states
  // A page that leads back to itself would be asked for without end.
  if (!isId(next) || (after !== undefined && next <= after)) throw oddAnswer(answer)
  return { ...states, next }
}

export function quotaStatesIn(value: unknown, answer: HubAnswer): QuotaStates {
  const { number, repositories, namespaces } = Object(value)
  const isFine =
    isJournalNumber(number) &&
    isListOf(repositories, (one) => isId(one['repository']) && isState(one)) &&
    isListOf(namespaces, isState)
  if (!isFine) throw oddAnswer(answer)
  return { number, repositories, namespaces }
}

type Members = Readonly<Record<string, unknown>>

function isListOf(value: unknown, isFine: (one: Members) => boolean): boolean {
  return (
    Array.isArray(value) && value.length <= maxStates && value.every((one) => isFine(Object(one)))
  )
}

function isState({ namespace, bytes }: Members): boolean {
  return isId(namespace) && (bytes === null || (Number.isSafeInteger(bytes) && Number(bytes) > 0))
}
