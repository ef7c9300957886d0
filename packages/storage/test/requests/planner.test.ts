/** Which threads make which reconstruction. */

import { createSecretKey } from 'node:crypto'
import { expect, it } from 'vitest'
import { type PlanPool, planner, type Size } from '../../src/reconstructions/planner.ts'

const today = () => ({ day: 1, key: createSecretKey(Buffer.alloc(32)) })
const freshen = async () => {}

/** Has one made, and gives the threads it was sent to and the terms it may have there. */
async function sent(form: 'v1' | 'v2' | 'batch', size: Size): Promise<readonly unknown[]> {
  const sentTo: unknown[] = []
  const poolOf = (name: string): PlanPool => ({
    async run({ maxTerms }) {
      sentTo.push(name, maxTerms)
      return { terms: 0 }
    },
    async close() {},
  })
  const plan = planner({ small: poolOf('small'), large: poolOf('large') }, { today, freshen })
  await plan(size, { form } as Parameters<typeof plan>[1], new AbortController().signal)
  return sentTo
}

it.each(['v1', 'v2'] as const)(
  'a file with few terms (%s) waits for no large one',
  async (form) => {
    expect(await sent(form, 'small')).toEqual(['small', 256])
    expect(await sent(form, 'large')).toEqual(['large', Number.POSITIVE_INFINITY])
  },
)

it('a list of files is looked up beside the large ones, and is small all the same with few terms', async () => {
  expect(await sent('batch', 'small')).toEqual(['large', 256])
  expect(await sent('batch', 'large')).toEqual(['large', Number.POSITIVE_INFINITY])
})
