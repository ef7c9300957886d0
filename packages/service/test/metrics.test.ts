/** The metrics of a service: one registry, one text for all who ask at the same time, and no cost for entries without them. */

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Gauge, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { metricsKit, summedText } from '../src/observe/metrics.ts'

test('requests that come while the text is rendered get that text; later ones get a new one', async () => {
  const { gauge, text } = metricsKit()
  let rendered = 0
  gauge('times_rendered', 'How often the metrics were rendered.', () => {
    rendered += 1
    return rendered
  })
  const [one, other] = await Promise.all([text(), text()])
  expect(one).toBe(other)
  expect(one).toContain('\ntimes_rendered 1\n')
  expect(await text()).toContain('\ntimes_rendered 2\n')
})

test('a service in the same process adds to the registry that it is given, and nothing else', async () => {
  const { registry, text, contentType } = metricsKit()
  const before = await text()
  const { counter, histogram } = metricsKit(registry)
  counter({ name: 'calls_total', help: 'Calls.', labelNames: ['route'] })
    .labels('/a')
    .inc()
  histogram({ name: 'call_seconds', help: 'Seconds.', buckets: [1] }).observe(0.5)
  const after = await text()
  expect(after).toContain('\ncalls_total{route="/a"} 1\n')
  expect(after).toContain('\ncall_seconds_bucket{le="1"} 1\n')
  const namesIn = (page: string) => Array.from(page.matchAll(/^# TYPE (\w+)/gm), ([, name]) => name)
  expect(namesIn(after)).toEqual([...namesIn(before), 'calls_total', 'call_seconds'])
  expect(before).toContain('process_cpu_seconds_total')
  expect(contentType).toMatch(/^text\/plain;/)
})

test('services of one process show the same measurements of it, and leave nothing that measures on', () => {
  const [one, other] = [metricsKit().registry, metricsKit().registry]
  expect(other).not.toBe(one)
  for (const name of ['nodejs_eventloop_lag_seconds', 'nodejs_gc_duration_seconds']) {
    expect(one.getSingleMetric(name)).toBeDefined()
    expect(other.getSingleMetric(name)).toBe(one.getSingleMetric(name))
  }
  one.registerMetric(new Gauge({ name: 'own', help: 'Of one service.', registers: [] }))
  expect(other.getSingleMetric('own')).toBeUndefined()
})

test('a quick histogram without a label tells the same, also before its first measurement', async () => {
  const told = { name: 'took_seconds', help: 'Took.', buckets: [0.25, 1] }
  const plain = metricsKit(new Registry())
  const quick = metricsKit(new Registry())
  const slow = plain.histogram(told)
  const fast = quick.quickHistogram(told).of()
  expect(await quick.text()).toBe(await plain.text())
  for (const measured of [0.125, 0.5, 7]) {
    slow.observe(measured)
    fast(measured)
  }
  expect(await quick.text()).toBe(await plain.text())
})

test('a quick histogram tells what one of prom-client tells, on the page and to other processes', async () => {
  const buckets = [0.001, 0.25, 1]
  const plain = metricsKit(new Registry())
  const quick = metricsKit(new Registry())
  const told = { name: 'took_seconds', help: 'Took.', buckets }
  const [slow, fast] = [
    plain.histogram({ ...told, labelNames: ['outcome'] }),
    quick.quickHistogram({ ...told, label: 'outcome' }),
  ]
  const good = fast.of('good')
  const bad = fast.of('bad')
  fast.of('never')
  for (const measured of [0, 0.001, 0.0011, 0.25, 0.5, 1, 1.5, 70]) {
    slow.labels('good').observe(measured)
    good(measured)
  }
  slow.labels('bad').observe(0.125)
  bad(0.125)
  expect(await quick.text()).toBe(await plain.text())
  const twice = async ({ registry }: typeof plain) =>
    summedText([await registry.getMetricsAsJSON(), await registry.getMetricsAsJSON()])
  expect(await twice(quick)).toBe(await twice(plain))
  expect(await quick.text()).toContain('took_seconds_bucket{le="+Inf",outcome="good"} 8\n')
})

test('no other entry of the kit loads prom-client', () => {
  const folder = join(import.meta.dirname, '../src')
  const loading = globSync('**/*.ts', { cwd: folder }).filter((file) =>
    /from '(?:prom-client|\.+\/metrics\.ts)'/.test(readFileSync(join(folder, file), 'utf8')),
  )
  expect(loading).toEqual(['observe/metrics.ts'])
})
