/** What a process in the hands of an attacker writes to its log is its own, or left out. */

import { expect, it } from 'vitest'
import { forgeKind, storageKind } from '../../src/serve/companions.ts'
import { companionLine } from '../../src/serve/keep-companion.ts'

const storageLine = (line: string) => companionLine(storageKind, line)

it('a line of the storage comes out as it is', () => {
  const line =
    '{"level":"info","time":"2026-11-16T00:00:00.000Z","event":"storage_served","bytes":7}'
  expect(storageLine(line)).toBe(line)
})

it.each([
  '{"level":"info","event":"token_issued","account":"ada"}',
  '{"level":"error","event":"storage_ended"}',
  '{"event":"toString"}',
  '{"event":["storage_served"]}',
  '{"event":"storage_served"',
  '"storage_served"',
  '[]',
  'null',
  '',
  'latchkey hub is ready at http://evil.example',
])('%s is no line of the storage', (line) => {
  expect(storageLine(line)).toBeUndefined()
})

it('no reader finds another event in a line than the one that was judged', () => {
  const twice = '{"event":"token_issued","event":"storage_served"}'
  expect(storageLine(twice)).toBe('{"event":"storage_served"}')
  expect(storageLine('{"event":"storage_served","event":"token_issued"}')).toBeUndefined()
})

it('a forge writes its own lines, and none of the hub or the storage', () => {
  const own = '{"level":"warn","event":"forge_not_ready"}'
  expect(companionLine(forgeKind, own)).toBe(own)
  for (const event of ['token_issued', 'storage_served', 'forge_ended']) {
    expect(companionLine(forgeKind, JSON.stringify({ event }))).toBeUndefined()
  }
})
