/** Generated pages of docs/reference say what the source says. */

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { clausesWithoutTest, unknownTags } from '../reference/conformance.ts'
import { fileOf, pages } from '../reference/pages.ts'

describe.each(Object.entries(pages))('docs/reference/%s', (page, write) => {
  test('is as "npm run docs:reference" writes it from the source', async () => {
    const isCurrent = readFileSync(fileOf(page), 'utf8') === (await write())
    expect(isCurrent, `docs/reference/${page} is not current: run npm run docs:reference`).toBe(
      true,
    )
  })
})

describe('the clauses of docs/reference/conformance.md', () => {
  test('each have a test with their tag, "// conformance: SECTION / CLAUSE"', () => {
    expect(clausesWithoutTest()).toEqual([])
  })

  test('are the only ones that tags name', () => {
    expect(unknownTags()).toEqual([])
  })
})
