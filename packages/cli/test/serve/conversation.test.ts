/** A storage says each thing when it is its turn, and no more often. */

import { expect, it } from 'vitest'
import { conversation } from '../../src/serve/conversation.ts'

const here = { kind: 'here' } as const
const started = { kind: 'started', url: 'http://127.0.0.1:1' } as const
const cannot = { kind: 'cannot-start', line: '' } as const
const answer = { kind: 'answer', id: 1, text: '' } as const

it('it is here once, and starts once', () => {
  const { isInTurn } = conversation()
  expect(isInTurn(started)).toBe(false)
  expect([here, started, here, started, cannot].map(isInTurn)).toEqual([
    ...[true, true],
    ...[false, false, false],
  ])
})

it('it answers as often as it was asked, also late', () => {
  const { ask, isInTurn } = conversation()
  ask()
  ask()
  expect([answer, answer, answer].map(isInTurn)).toEqual([true, true, false])
})
