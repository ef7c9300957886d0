import { expect, it } from 'vitest'
import { heldRuns } from '../../src/transfer/held-runs.ts'

it('the oldest make room, and no more of them than must', () => {
  const held = heldRuns(100)
  for (const name of ['a', 'b', 'c']) held.hold(name, [Buffer.alloc(20), Buffer.alloc(20)])
  expect(['a', 'b', 'c'].filter((name) => held.get(name) !== undefined)).toEqual(['b', 'c'])
})

it('what is dropped makes room', () => {
  const held = heldRuns(100)
  for (const name of ['a', 'b']) held.hold(name, [Buffer.alloc(50)])
  held.drop('b')
  held.hold('c', [Buffer.alloc(50)])
  expect(['a', 'b', 'c'].filter((name) => held.get(name) !== undefined)).toEqual(['a', 'c'])
})
