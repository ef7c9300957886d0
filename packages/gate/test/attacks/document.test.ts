import { readFileSync } from 'node:fs'
import { attackTable } from '@latchkey/testing/attacks/attacks'
import { expect, test } from 'vitest'

const document = new URL('../../../../docs/clauses.md', import.meta.url)

test('the table of attacks in docs/clauses.md is the one that is run', () => {
  const text = readFileSync(document, 'utf8')
  const [, shown = ''] = /^(\| attack \| gateway \|[\s\S]*?)\n\n/m.exec(text) ?? []
  expect(shown).toBe(attackTable())
})
