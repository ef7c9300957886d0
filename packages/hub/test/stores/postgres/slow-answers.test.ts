/** How often a hub asks for the journal's head where the database is slow. */

import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { followHead } from '../../../src/stores/postgres/follow-head.ts'

const head = { number: 1, mark: 0, is_replica: 0, server: 'one' }

test('after an answer that took more than a second, the next question is sent at once', async () => {
  const questions: PromiseWithResolvers<void>[] = []
  let nowMs = 0
  const followed = await followHead({
    database: {
      async query<Row>() {
        const answered = Promise.withResolvers<void>()
        questions.push(answered)
        if (questions.length !== 2) answered.resolve()
        await answered.promise
        return [head] as Row[]
      },
      renew() {},
    },
    ...{ schema: 'latchkey_hub', server: 'one', onOtherServer: async () => 'one', tell() {} },
    staleness: { now: () => ({ steadyMs: nowMs, wallMs: nowMs }), maxMs: 3000 },
  })
  onTestFinished(followed.close)
  await expect.poll(() => questions.length).toBe(2)
  nowMs += 1500
  questions[1]?.resolve()
  // Shorter than the time between two questions that are answered soon.
  await delay(500)
  expect(questions.length).toBeGreaterThan(2)
})
