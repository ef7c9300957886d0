import { expect, it } from 'vitest'
import {
  type Measurements,
  metricsKit,
  summedCounters,
  summedText,
} from '../src/observe/metrics.ts'

/** As it arrives in another process. */
async function measured(count: number, seconds: number): Promise<Measurements> {
  const { counter, histogram, gauge, registry } = metricsKit()
  counter({ name: 'asked_total', help: 'Asked.', labelNames: ['how'] })
    .labels('well')
    .inc(count)
  histogram({ name: 'took_seconds', help: 'Took.', buckets: [1, 10] }).observe(seconds)
  gauge('held', 'Held.', () => count)
  return JSON.parse(JSON.stringify(await registry.getMetricsAsJSON()))
}

it('counters, histograms and gauges of several processes are summed on one page', async () => {
  const text = await summedText([await measured(2, 0.5), await measured(3, 5)])
  expect(text).toContain('asked_total{how="well"} 5\n')
  expect(text).toContain('took_seconds_bucket{le="1"} 1\n')
  expect(text).toContain('took_seconds_bucket{le="10"} 2\n')
  expect(text).toContain('took_seconds_sum 5.5\n')
  expect(text).toContain('held 5\n')
  expect(text.match(/^# TYPE asked_total counter$/gm)).toHaveLength(1)
})

it('of processes that have ended the counters stay, and no gauge', async () => {
  const ended = await summedCounters([await measured(2, 0.5), await measured(3, 5)])
  const text = await summedText([await measured(1, 0.5), ended])
  expect(text).toContain('asked_total{how="well"} 6\n')
  expect(text).toContain('took_seconds_count 3\n')
  expect(text).toContain('held 1\n')
})
