/** The hub's answers, checked member by member: what a storage removes depends on them. */

import { isId, isJournalNumber, type JournalNumber, noJournalNumber } from '@latchkey/protocol'
import { codeOf, oddAnswer, refusedQuestion } from './failed-question.ts'
import type { HubAnswer } from './hub-answer.ts'
import type { HubChanges, PlaceUid, UnknownCursor } from './hub-link.ts'

/** Four times what a hub puts into one answer. A storage writes all of them down at once, while its readers wait. */
const mostRemoved = 1000

export function readChanges(
  answer: HubAnswer,
  after: JournalNumber | undefined,
): HubChanges | UnknownCursor {
  const { status, value } = answer
  const { number, removed, complete } = Object(value)
  if (status === 410 && codeOf(value) === 'cursor_unknown') {
    if (after === undefined || !isJournalNumber(number)) throw oddAnswer(answer)
    return { kind: 'unknown cursor', number }
  }
  if (status !== 200) throw refusedQuestion(answer)
  const uids = uidsIn(removed)
  if (!isJournalNumber(number) || uids === undefined || typeof complete !== 'boolean') {
    throw oddAnswer(answer)
  }
  // Nothing can be removed between a number and itself; and there must be more to ask for where the hub says so.
  const isStanding = number === after && (uids.length > 0 || !complete)
  const isTooMany = uids.length > mostRemoved
  if (isTooMany || isStanding || number < (after ?? noJournalNumber)) throw oddAnswer(answer)
  return { kind: 'changes', number, removed: uids, isComplete: complete }
}

/** How many repositories have a new epoch. */
export function readRaised(answer: HubAnswer, asked: number): number {
  if (answer.status !== 200) throw refusedQuestion(answer)
  const { raised } = Object(answer.value)
  const isCount = Number.isSafeInteger(raised) && raised >= 0 && raised <= asked
  if (!isCount) throw oddAnswer(answer)
  return raised
}

/** Uids that were not asked for are no answer: the storage would remove what belongs to them. */
export function readUnknown(answer: HubAnswer, asked: readonly PlaceUid[]): readonly PlaceUid[] {
  if (answer.status !== 200) throw refusedQuestion(answer)
  const unknown = uidsIn(Object(answer.value).unknown)
  const wasAsked = new Set(asked)
  if (unknown === undefined || !unknown.every((uid) => wasAsked.has(uid))) throw oddAnswer(answer)
  return unknown
}

function uidsIn(value: unknown): readonly PlaceUid[] | undefined {
  return Array.isArray(value) && value.every(isUid) ? value : undefined
}

function isUid(value: unknown): value is PlaceUid {
  return isId(value)
}
