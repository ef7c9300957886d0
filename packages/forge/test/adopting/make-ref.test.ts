/** The client of a new ref leaves while its commit is read, or while the ref is made. */

import type { RefName } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { type MakingRefs, makeRef, type NewRefAt } from '../../src/commits/make-ref.ts'

/** Notes each step, and lets the client leave at one of them. */
function makeWithout(leavesAt: string) {
  const steps: string[] = []
  const left = new AbortController()
  const step =
    <Value>(name: string, value: Value) =>
    async () => {
      steps.push(name)
      if (name === leavesAt) left.abort(new Error('the client has gone'))
      return value
    }
  const parts = {
    markers: { set: step('marked', undefined), clear: step('cleared', undefined) },
    storage: { adopt: step('adopted', undefined) },
    port: { dropReserved: step('dropped', undefined) },
  }
  const wanted = {
    ...{ reserved: { repositoryUid: 'a', refUid: 'b' }, ref: 'refs/heads/b' as RefName },
    ...{ through: [], signal: left.signal },
    repository: {
      treeOf: step('found', 'the tree'),
      listTree: step('listed', { entries: [], next: undefined }),
    },
    adoptFirst: step('recorded', { code: 'conflict', detail: 'the change goes no further' }),
  }
  const made = makeRef(parts as unknown as MakingRefs, wanted as unknown as NewRefAt)
  return { steps, made }
}

test('a client that leaves before the commit is read ends the work, and nothing is changed', async () => {
  const { steps, made } = makeWithout('found')
  await expect(made).rejects.toThrow('the client has gone')
  expect(steps).toEqual(['found'])
})

test('a client that leaves while the ref is made does not end it halfway', async () => {
  const { steps, made } = makeWithout('marked')
  expect(await made).toMatchObject({ code: 'conflict' })
  expect(steps).toEqual(['found', 'listed', 'marked', 'recorded', 'dropped', 'cleared'])
})
