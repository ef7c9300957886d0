/** Asks a verifier in another language and the gate the same mutated questions, and tells where they disagree. */

import { isDeepStrictEqual } from 'node:util'
import type { Chance } from '../chance.ts'
import { type Choices, choices } from './choices.ts'
import { gateVerifier } from './gate-verifier.ts'
import { gates, type TestGate } from './gates.ts'
import type { LineVerifier } from './line-verifier.ts'
import { mutatedHead, mutatedKeys, mutatedList } from './mutated-document.ts'
import { mutatedRequest } from './mutated-request.ts'
import type { Question, Verdict } from './questions.ts'

export interface Comparison {
  readonly asked: number
  /** As many as were looked for, and then no more is asked. */
  readonly disagreements: readonly Disagreement[]
  /** How often the gate gave each kind of answer: a mutator that never gets past the first check proves little. */
  readonly answers: Readonly<Record<string, number>>
}

export interface Disagreement {
  readonly question: Question
  readonly gate: Verdict
  readonly verifier: unknown
}

const atOnce = 250

export async function compareWithGate(
  verifier: Pick<LineVerifier, 'ask'>,
  count: number,
  chance: Chance,
  maxShown = 20,
): Promise<Comparison> {
  const chosen = choices(chance)
  const disagreements: Disagreement[] = []
  const answers: Record<string, number> = {}
  let asked = 0
  for (let turn = 0; asked < count && disagreements.length < maxShown; turn += 1) {
    const gate = gates[turn % gates.length] as TestGate
    const length = Math.min(atOnce, count - asked)
    const questions = Array.from({ length }, () => nextQuestion(chosen, gate))
    const [expected, found] = await Promise.all([
      checkedByGate(gate, questions),
      verifier.ask([gate.set, ...questions].map(ascii)),
    ])
    for (const [index, question] of questions.entries()) {
      const right = expected[index] as Verdict
      const kind = kindOf(question, right)
      answers[kind] = (answers[kind] ?? 0) + 1
      const given = readAnswer(found[index + 1] ?? '')
      const isRight = isDeepStrictEqual(given, readAnswer(JSON.stringify(right)))
      if (!isRight && disagreements.length < maxShown) {
        disagreements.push({ question, gate: right, verifier: given })
      }
    }
    asked += length
  }
  return { asked, disagreements, answers }
}

function nextQuestion(chosen: Choices, gate: TestGate): Question {
  if (!chosen.isOneIn(10)) return mutatedRequest(chosen, gate)
  return chosen.oneOf([mutatedHead, mutatedList, mutatedKeys])(chosen)
}

async function checkedByGate(
  gate: TestGate,
  questions: readonly Question[],
): Promise<readonly Verdict[]> {
  const ask = await gateVerifier(gate.set)
  return Promise.all(questions.map(ask))
}

/** Some readers of lines end one at other characters than the newline. */
function ascii(question: object): string {
  return JSON.stringify(question).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Half a surrogate pair cannot be told in every language. */
function readAnswer(line: string): unknown {
  try {
    return JSON.parse(line, (_name, value) =>
      typeof value === 'string' ? value.toWellFormed() : value,
    )
  } catch {
    return line
  }
}

function kindOf(question: Question, verdict: Verdict): string {
  const { status, code, reason, ok, entries, kids } = verdict
  if (question.kind === 'request') return [status, code, reason].filter(Boolean).join(' ')
  const isRead = ok ?? (Array.isArray(kids) ? kids.length > 0 : entries !== null)
  return [question.kind, isRead ? 'read' : 'refused', reason].filter(Boolean).join(' ')
}
