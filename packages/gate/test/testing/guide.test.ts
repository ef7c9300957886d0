/** The guide about tests of a storage: its code in TypeScript and Go, as it is printed there. That in Python runs with the verifier in Python. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../../..')
const guide = readFileSync(join(root, 'docs/guides/test-your-storage.md'), 'utf8')

function blockIn(language: string): string {
  const [, block] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(guide) ?? []
  if (block === undefined) throw new Error(`the guide has no block in ${language}`)
  return block
}

// Below node_modules, where packages are found.
const cache = join(root, 'node_modules/.cache')
mkdirSync(cache, { recursive: true })
const folder = mkdtempSync(join(cache, 'latchkey-guide-'))
afterAll(() => rmSync(folder, { recursive: true }))

const storage = pathToFileURL(join(root, 'examples/hono-storage/storage.ts')).href
const file = join(folder, 'guide.mjs')
writeFileSync(file, stripTypeScriptTypes(blockIn('ts').replace('./storage.ts', storage)))
// Its tests become tests of this file.
await import(pathToFileURL(file).href)

test('the tests of the guide ran, and more than one', ({ task }) => {
  const names = task.file.tasks.map(({ name }) => name)
  expect(names).toContain('a fork reads what was written before it, and nothing later')
  expect(names.length).toBeGreaterThan(5)
})

test('the test in Go is one that the tests of the kit in Go run', () => {
  const run = readFileSync(join(root, 'clients/go/latchkeytest/guide_test.go'), 'utf8')
  const inKit = blockIn('go').replace('package main', 'package latchkeytest_test')
  expect(run.endsWith(`\n${inKit}`)).toBe(true)
})
