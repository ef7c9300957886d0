/** What a process in the hands of an attacker counts comes under its own names, or not at all. */

import { metricsKit } from '@latchkey/service/observe/metrics'
import { expect, it } from 'vitest'
import { companionMetrics, ownNames as named } from '../../src/serve/companion-metrics.ts'
import { forgeKind, storageKind } from '../../src/serve/companions.ts'

const storageMetrics = companionMetrics(storageKind)
const ownNames = (text: string) => named(storageKind, text)

it('the metrics of a process of ours are metrics of a storage', async () => {
  const { counter, text } = metricsKit()
  const requests = counter({
    name: 'latchkey_storage_requests_total',
    help: 'Requests.',
    labelNames: ['route', 'outcome'],
  })
  requests.labels('/blobs/{hash}', 'a "quoted", \\ odd\nvalue').inc()
  const own = ownNames(await text())
  expect(own).toContain('a \\"quoted\\"')
  expect(storageMetrics(own)).toBe(own)
})

it.each([
  'latchkey_tokens_issued_total{scope="write"} 1',
  '# TYPE latchkey_tokens_issued_total counter',
  'process_start_time_seconds 1',
  'latchkey_storage_up 1',
  '# HELP latchkey_storage_up It is.',
  'latchkey_storage_x',
  'latchkey_storage_x{a="b} 1',
  'latchkey_storage_x 1 # {} 1',
  '<html>',
  '# TYPE latchkey_storage_x gauge\n# TYPE latchkey_storage_x gauge',
])('%j makes all of it no metrics', (line) => {
  expect(storageMetrics(`latchkey_storage_a 1\n${line}\n`)).toBeUndefined()
})

it('no text takes long to judge', () => {
  const long = `latchkey_storage_x{${'a="",'.repeat(200_000)}`
  expect(storageMetrics(long)).toBeUndefined()
  expect(storageMetrics(`latchkey_storage_x{a="${'\\\\'.repeat(400_000)}`)).toBeUndefined()
})

it('what both processes measure of themselves has two names on one page', () => {
  const text =
    '# HELP process_cpu_seconds_total Of process_cpu\n# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total 1\nnodejs_heap{space="a"} 2\nlatchkey_storage_open_requests 0\n'
  expect(ownNames(text)).toBe(
    '# HELP latchkey_storage_process_cpu_seconds_total Of process_cpu\n# TYPE latchkey_storage_process_cpu_seconds_total counter\nlatchkey_storage_process_cpu_seconds_total 1\nlatchkey_storage_nodejs_heap{space="a"} 2\nlatchkey_storage_open_requests 0\n',
  )
})

it('a forge counts its requests and its git, and nothing of the storage or the hub', () => {
  const forgeMetrics = companionMetrics(forgeKind)
  const own = 'latchkey_forge_commits 0\nlatchkey_git_processes 1\nlatchkey_forge_process_x 1\n'
  expect(forgeMetrics(own)).toBe(own)
  for (const name of ['latchkey_storage_x', 'latchkey_forge_up', 'latchkey_tokens_issued_total']) {
    expect(forgeMetrics(`${own}${name} 1\n`)).toBeUndefined()
  }
})
