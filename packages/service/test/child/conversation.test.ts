/** A child says each thing when it is its turn, and no more often; each question is answered in time or not at all. */

import { expect, it } from 'vitest'
import { conversation, type FromChild } from '../../src/machine/child/messages.ts'

const here = { kind: 'here' } as const
const started = { kind: 'started', url: 'http://127.0.0.1:1' } as const
const cannot = { kind: 'cannot-start', line: '' } as const

/** Time is over when the test says so. */
function talk(maxUnanswered?: number) {
  const limits: (() => void)[] = []
  const sent: number[] = []
  const { ask, isInTurn, giveUp } = conversation<string, string>({
    send: ({ id }) => sent.push(id),
    answerMs: 800,
    after(_, act) {
      limits.push(act)
      return () => {}
    },
    ...(maxUnanswered === undefined ? {} : { maxUnanswered }),
  })
  const answer = (index: number, value: string): FromChild<string> => ({
    kind: 'answer',
    id: sent[index] ?? 0,
    value,
  })
  return {
    ask: () => ask('metrics'),
    isInTurn,
    giveUp,
    sent,
    answer,
    tooLate: () => limits.shift()?.(),
  }
}

it('it is here once, and starts once', () => {
  const { isInTurn } = talk()
  expect(isInTurn(started)).toBe(false)
  expect([here, started, here, started, cannot].map(isInTurn)).toEqual([
    ...[true, true],
    ...[false, false, false],
  ])
})

it('it answers as often as it was asked, also late', () => {
  const { ask, isInTurn, answer, tooLate } = talk()
  void ask()
  void ask()
  tooLate()
  expect([0, 0, 1].map((index) => isInTurn(answer(index, '')))).toEqual([true, true, false])
})

it('each question gets its own answer, in whatever order they come', async () => {
  const { ask, isInTurn, answer } = talk()
  const both = [ask(), ask()]
  isInTurn(answer(1, 'second'))
  isInTurn(answer(0, 'first'))
  expect(await Promise.all(both)).toEqual(['first', 'second'])
})

it('a question that is not answered in time has no answer, and a late one is nobody’s', async () => {
  const { ask, isInTurn, answer, tooLate } = talk()
  const late = ask()
  tooLate()
  isInTurn(answer(0, 'late'))
  expect(await late).toBeUndefined()
})

it('when nobody is left to answer, no question waits', async () => {
  const { ask, giveUp } = talk()
  const open = [ask(), ask()]
  giveUp()
  expect(await Promise.all(open)).toEqual([undefined, undefined])
})

it('a child that does not answer is not asked more than so often, until it answers', async () => {
  const { ask, isInTurn, answer, sent, tooLate } = talk(2)
  const open = [ask(), ask(), ask()]
  tooLate()
  expect(await open[2]).toBeUndefined()
  expect(await ask()).toBeUndefined()
  expect(sent).toHaveLength(2)
  isInTurn(answer(0, 'late'))
  void ask()
  expect(sent).toHaveLength(3)
})
