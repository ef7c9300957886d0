/** Work that waits for its turn: in order, and no longer than it may. */

import { expect, test } from 'vitest'
import { slots } from '../../src/postgres/slots.ts'

test('work that did not begin in time never does, and those behind it have their turn', async () => {
  const inSlot = slots(1, { mostWaitMs: 200, none: () => new Error('too late') })
  const done: string[] = []
  const first = Promise.withResolvers<void>()
  const running = inSlot(() => first.promise)
  await expect(inSlot(async () => void done.push('late'))).rejects.toThrow('too late')
  const others = ['second', 'third'].map((name) => inSlot(async () => void done.push(name)))
  first.resolve()
  await Promise.all([running, ...others])
  expect(done).toEqual(['second', 'third'])
  await inSlot(async () => void done.push('fourth'))
  expect(done).toContain('fourth')
})
