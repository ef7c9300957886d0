import { expect, test } from 'vitest'
import { stopOnce } from '../src/machine/process-context.ts'

test('a service that is told to stop twice closes once, between its last two lines', async () => {
  const steps: unknown[] = []
  const context = {
    log: (event: string, fields: object) => void steps.push([event, fields]),
    lines: { write() {}, close: async () => void steps.push('lines closed') },
    settings: { stopDeadlineSeconds: 7 },
  }
  const stop = stopOnce('shop', context, async (seconds) => {
    steps.push(`closed within ${seconds} s`)
  })
  expect(steps).toEqual([])
  await Promise.all([stop(), stop()])
  await stop()
  expect(steps).toEqual([
    ['shop_stopping', { deadlineSeconds: 7 }],
    'closed within 7 s',
    ['shop_stopped', {}],
    'lines closed',
  ])
})
