/** A program that only downloads loads nothing of uploads, so that it starts sooner. */

import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const source = join(import.meta.dirname, '../../src')

/** What the package's own `imports` give a program in Node. */
function inNode(target: string): string {
  return fileURLToPath(import.meta.resolve(target))
}

function loadedBy(file: string, loaded = new Set<string>()): ReadonlySet<string> {
  if (loaded.has(file)) return loaded
  loaded.add(file)
  const statements = /^(?:import|export)\s(?!type\s)[^'"]*?from '([.#][^']+)'/gm
  for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(statements)) {
    loadedBy(target.startsWith('#') ? inNode(target) : join(dirname(file), target), loaded)
  }
  return loaded
}

const roomsOf = (entry: string) =>
  new Set([...loadedBy(join(source, entry))].map((file) => dirname(relative(source, file))))

it('the entry for downloads loads no file of cutting or uploading', () => {
  expect([...roomsOf('download.ts')].sort()).toEqual([
    ...['.', 'blob', 'download', 'format', 'platform/node', 'storage'],
  ])
  expect(roomsOf('index.ts')).toContain('upload')
})
