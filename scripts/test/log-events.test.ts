/** Operators build alerts on log events, so docs/operating.md lists each of them. */

import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const tables = globSync('packages/*/src/**/*.ts', { cwd: root }).filter((file) =>
  readFileSync(join(root, file), 'utf8').includes('\nexport const levelOf = {'),
)

/** The two places that list events: for a hub with its storage, and for a gate. */
function listedEvents(): Set<string> {
  const text = readFileSync(join(root, 'docs/operating.md'), 'utf8')
  const lists = [/^Logs are JSON lines [\s\S]*?\n\n/m, /^- \*\*Log events\*\*: [\s\S]*?\n\n/m]
  const words = lists.flatMap((list) => [...(list.exec(text)?.[0] ?? '').matchAll(/`(\w+)`/g)])
  return new Set(words.map(([, word = '']) => word))
}

test('there are tables of log events to compare with', () => {
  expect(tables.length).toBeGreaterThanOrEqual(4)
})

test.each(tables)('docs/operating.md lists every event of %s', async (table) => {
  const { levelOf }: { levelOf: object } = await import(join(root, table))
  const listed = listedEvents()
  const events = Object.keys(levelOf)
  expect(events.length).toBeGreaterThan(0)
  expect(events.filter((event) => !listed.has(event))).toEqual([])
})
