/** What an operator learns of an overload, and who does not wait in it. */

import type { IncomingMessage } from 'node:http'
import { movedStopwatch } from '@latchkey/testing/moved-stopwatch'
import { expect, test } from 'vitest'
import { createMetrics } from '../../src/operations/metrics.ts'
import { overloadQueue } from '../../src/operations/overload-queue.ts'

function openQueue() {
  const lines: unknown[] = []
  const stopwatch = movedStopwatch()
  const metrics = createMetrics()
  const log = (event: string, fields: object) => lines.push({ event, ...fields })
  const queue = overloadQueue({ log, metrics, stopwatch: stopwatch.now })
  return { lines, metrics, queue, pass: stopwatch.pass }
}

test('every refusal is counted, and the log has a line at most every ten seconds', async () => {
  const { lines, metrics, queue, pass } = openQueue()
  for (let left = 5; left > 0; left -= 1) queue.onRefused()
  pass(9)
  queue.onRefused()
  expect(lines).toEqual([{ event: 'overloaded', refused: 1 }])
  pass(1)
  queue.onRefused()
  expect(lines.slice(1)).toEqual([{ event: 'overloaded', refused: 6 }])
  expect(await metrics.text()).toContain('\nlatchkey_requests_overloaded_total 7\n')
})

test('the metrics say how many requests wait', async () => {
  const { metrics } = openQueue()
  metrics.countWaiting(() => 42)
  expect(await metrics.text()).toContain('\nlatchkey_requests_waiting 42\n')
})

test.each([
  ['/.well-known/jwks.json', true],
  ['/.well-known/storage-revocations', true],
  ['/link/v1/changes?after=1', true],
  ['/api/models/acme/bert/storage-read-token/main', false],
  ['/admin/v1/accounts', false],
  ['/', false],
])('whether %s goes before requests that wait: %s', (url, isFirst) => {
  expect(openQueue().queue.goesFirst({ url } as IncomingMessage)).toBe(isFirst)
})
