import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { attackTable } from './attacks.ts'

const document = new URL('../../../../docs/clauses.md', import.meta.url)

test('the table of attacks in docs/clauses.md is the one that is run', () => {
  const text = readFileSync(document, 'utf8')
  const [, shown = ''] = /^(\| attack \| gateway \|[\s\S]*?)\n\n/m.exec(text) ?? []
  expect(shown).toBe(attackTable())
})
