/** The page about the architecture lists what there is, and nothing else. */

import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/internals/architecture.md'), 'utf8')

interface Manifest {
  readonly exports: Readonly<Record<string, Readonly<Record<'@latchkey/source', string>>>>
}

function firstCells(heading: string, column: string): readonly string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const [, table = ''] = section.split(`| ${column} |`)
  const [rows = ''] = table.split('\n\n')
  return Array.from(rows.matchAll(/^\| `([^`]+)` \|/gm), ([, cell = '']) => cell)
}

function read(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, `packages/${name}/package.json`), 'utf8'))
}

test('the table of shared infrastructure has a row for each entry of the service package, and no other', () => {
  const entries = Object.keys(read('service').exports).map((entry) => entry.replace('./', ''))
  expect(entries.length).toBeGreaterThan(20)
  expect(firstCells('Shared infrastructure', 'entry').toSorted()).toEqual(entries.toSorted())
})

test('each entry of the service package leads to a source file', () => {
  const files = Object.values(read('service').exports).map((one) => one['@latchkey/source'])
  expect(files.filter((file) => !existsSync(join(root, 'packages/service', file)))).toEqual([])
})

test('the table of packages has a row for each package that the check of the rooms knows', () => {
  const check = readFileSync(join(root, 'scripts/check-rooms.ts'), 'utf8')
  const [, list = ''] = check.split('const allowed: Record<string, readonly string[]> = {\n')
  const [rows = ''] = list.split('\n}\n')
  const names = Array.from(rows.matchAll(/^ {2}'?([\w-]+)'?:/gm), ([, name = '']) => name)
  expect(firstCells('Packages', 'package').toSorted()).toEqual(names.toSorted())
})

test('every file that the page names is there', () => {
  const named = Array.from(
    page.matchAll(/`((?:[\w-]+\/)+src\/[\w/.-]+)`/g),
    ([, path = '']) => path,
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((path) => !existsSync(join(root, 'packages', path)))).toEqual([])
})
