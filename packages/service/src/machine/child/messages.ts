/** Messages between a process and its child: plain data, checked on arrival. */

import type { Timers } from '../time.ts'

type Check = (value: unknown) => boolean

export const isText: Check = (value) => typeof value === 'string'

const isUrl: Check = (value) => typeof value === 'string' && URL.canParse(value)

export const isBoolean: Check = (value) => typeof value === 'boolean'

export const isNumber: Check = (value) => typeof value === 'number' && !Number.isNaN(value)

export function oneOf(...words: readonly string[]): Check {
  return (value) => words.some((word) => word === value)
}

export function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check)
}

export function orNothing(check: Check): Check {
  return (value) => value === undefined || check(value)
}

/** The names are those of the type, so that a member which is added there is checked here. */
type Members<Value> = { readonly [Name in keyof Required<Value>]: Check }

/** Whether a value has the members that it must have, and no others. */
export function shapeOf<Value>(members: Members<Value>): (value: unknown) => value is Value {
  const checks = Object.entries<Check>(members)
  return (value): value is Value => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    const record: Readonly<Record<string, unknown>> = { ...value }
    return (
      checks.every(([name, check]) => check(record[name])) &&
      Object.keys(record).every((name) => Object.hasOwn(members, name))
    )
  }
}

/** Each process of ours has one: everything else is said in the same way by all. */
export interface ChildProtocol<Order, Question, Answer> {
  /** The order as it crosses, secrets included. */
  writeOrder(order: Order): object
  /** Undefined for anything that is no order. */
  readOrder(json: unknown): Order | undefined
  isQuestion(value: unknown): value is Question
  isAnswer(value: unknown): value is Answer
}

type ToChild<Order, Question> =
  | { readonly kind: 'start'; readonly order: Order }
  | { readonly kind: 'stop' }
  | { readonly kind: 'ask'; readonly id: number; readonly question: Question }

export type FromChild<Answer> =
  /** It listens for messages; nothing is sent before. */
  | { readonly kind: 'here' }
  | { readonly kind: 'started'; readonly url: string }
  | { readonly kind: 'cannot-start'; readonly line: string }
  | { readonly kind: 'answer'; readonly id: number; readonly value: Answer }

type Of<Message, Kind> = Extract<Message, { readonly kind: Kind }>

const isAnything: Check = () => true
const isStart = shapeOf<Of<ToChild<unknown, unknown>, 'start'>>({
  kind: oneOf('start'),
  order: isAnything,
})
const isStop = shapeOf<Of<ToChild<unknown, unknown>, 'stop'>>({ kind: oneOf('stop') })
const isAsk = shapeOf<Of<ToChild<unknown, unknown>, 'ask'>>({
  kind: oneOf('ask'),
  id: isNumber,
  question: isAnything,
})
const isHere = shapeOf<Of<FromChild<unknown>, 'here'>>({ kind: oneOf('here') })
const isStarted = shapeOf<Of<FromChild<unknown>, 'started'>>({ kind: oneOf('started'), url: isUrl })
const isCannotStart = shapeOf<Of<FromChild<unknown>, 'cannot-start'>>({
  kind: oneOf('cannot-start'),
  line: isText,
})
const isAnswer = shapeOf<Of<FromChild<unknown>, 'answer'>>({
  kind: oneOf('answer'),
  id: isNumber,
  value: isAnything,
})

/** Undefined for anything that is no message to a child. */
export function readToChild<Order, Question>(
  protocol: Pick<ChildProtocol<Order, Question, unknown>, 'readOrder' | 'isQuestion'>,
  json: unknown,
): ToChild<Order, Question> | undefined {
  if (isStop(json)) return json
  if (isAsk(json)) {
    const { question } = json
    return protocol.isQuestion(question) ? { ...json, question } : undefined
  }
  const order = isStart(json) ? protocol.readOrder(json.order) : undefined
  return order === undefined ? undefined : { kind: 'start', order }
}

/** Undefined for anything that is no message of a child. */
export function readFromChild<Answer>(
  protocol: Pick<ChildProtocol<unknown, unknown, Answer>, 'isAnswer'>,
  json: unknown,
): FromChild<Answer> | undefined {
  if (isHere(json) || isStarted(json) || isCannotStart(json)) return json
  if (!isAnswer(json)) return undefined
  const { value } = json
  return protocol.isAnswer(value) ? { ...json, value } : undefined
}

interface Conversation<Question, Answer> {
  /** Undefined when no answer has come in time, and while too many questions have none. */
  ask(question: Question): Promise<Answer | undefined>
  /** False for what a child of ours never says at this point. */
  isInTurn(message: FromChild<Answer>): boolean
  /** The child has ended: no answer comes any more. */
  giveUp(): void
}

interface ConversationOptions<Question> {
  readonly send: (message: Of<ToChild<never, Question>, 'ask'>) => void
  readonly answerMs: number
  readonly after: Timers['after']
  /** Questions that the child has been sent and has not answered, also late ones. */
  readonly maxUnanswered?: number
}

/**
 * Security boundary: everything that a child says makes its parent do something, and `here` makes it send the order. A
 * process that repeats itself would fill the parent's memory with orders that it does not read.
 */
export function conversation<Question, Answer>({
  send,
  answerMs,
  after,
  maxUnanswered = 256,
}: ConversationOptions<Question>): Conversation<Question, Answer> {
  const open = new Map<number, (answer: Answer | undefined) => void>()
  let [isHere, hasStarted, last, unanswered] = [false, false, 0, 0]
  return {
    ask(question) {
      if (unanswered >= maxUnanswered) return Promise.resolve(undefined)
      const { promise, resolve } = Promise.withResolvers<Answer | undefined>()
      unanswered += 1
      last += 1
      const id = last
      const callOff = after(answerMs, () => open.get(id)?.(undefined))
      open.set(id, (answer) => {
        open.delete(id)
        callOff()
        resolve(answer)
      })
      send({ kind: 'ask', id, question })
      return promise
    },
    isInTurn(message) {
      switch (message.kind) {
        case 'here':
          if (isHere) return false
          isHere = true
          return true
        case 'started':
        case 'cannot-start':
          if (!isHere || hasStarted) return false
          hasStarted = true
          return true
        case 'answer':
          if (unanswered === 0) return false
          unanswered -= 1
          open.get(message.id)?.(message.value)
          return true
      }
    },
    giveUp() {
      for (const settle of open.values()) settle(undefined)
    },
  }
}
