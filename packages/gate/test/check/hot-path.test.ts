/** What a check of a seen token may cost: counted, because times say little on a shared machine. */

import { asyncResourcesOf } from '@latchkey/testing/async-resources'
import { bearer } from '@latchkey/testing/gate/storage-tokens'
import { expect, test } from 'vitest'
import { asking, gateWith, outcome } from './ask.ts'

test('a check of a seen token makes one promise, that of its answer, and nothing else to wait for', async () => {
  const gate = gateWith()
  const request = asking(bearer())
  expect(await outcome(gate, request)).toBe('admitted')
  const answers: ReturnType<typeof gate.check>[] = []
  expect(asyncResourcesOf(() => answers.push(gate.check(request)))).toEqual(['PROMISE'])
  expect(await answers[0]).toMatchObject({ ok: true })
})
