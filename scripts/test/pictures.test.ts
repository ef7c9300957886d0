import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { deployments } from '../pictures/deployments.ts'
import { tokenFlow } from '../pictures/token-flow.ts'

const root = resolve(import.meta.dirname, '../..')
const images = globSync('docs/images/*', { cwd: root })

test('the drawn pictures are what scripts/write-diagrams.ts writes', () => {
  const drawn = { 'token-flow.svg': tokenFlow(), 'deployments.svg': deployments() }
  for (const [name, content] of Object.entries(drawn)) {
    expect(readFileSync(join(root, 'docs/images', name), 'utf8') === content, name).toBe(true)
  }
})

test('every picture is on a page, and has at most 200 kB', () => {
  const pages = globSync(['README.md', 'docs/**/*.md'], { cwd: root })
  const texts = pages.map((page) => readFileSync(join(root, page), 'utf8'))
  const unused = images.filter((image) => !texts.some((text) => text.includes(basename(image))))
  expect(unused).toEqual([])
  expect(images.filter((image) => statSync(join(root, image)).size > 200_000)).toEqual([])
})
