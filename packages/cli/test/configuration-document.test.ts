import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { configurationDocument } from '../src/configuration/document.ts'

it('docs/configuration.md says what the table of options says', () => {
  const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8')
  expect(page).toBe(configurationDocument())
})
