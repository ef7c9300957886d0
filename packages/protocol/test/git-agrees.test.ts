/** Ref names are judged as git judges them, apart from the names that this service refuses besides. */

import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRefName } from '../src/index.ts'
import { arbitraryRefText } from './arbitraries.ts'

const names = process.env['LATCHKEY_SOAK'] ? 4000 : 100
const git = spawnSync('git', ['--version']).status === 0
if (!git) console.warn('SKIPPED: git is not installed, so ref names are not compared with it')

function gitAccepts(name: string): boolean {
  return spawnSync('git', ['check-ref-format', name]).status === 0
}

/** What this service refuses although git would take it. */
function refusedBesides(name: string): boolean {
  const own = name.replace(/^refs\/(?:heads|tags)\//, '')
  if (Buffer.byteLength(own) > 255) return true
  if (own === name) return !/^refs\/[^/]+\/./.test(name)
  const taken = ['HEAD', '@', 'None'].includes(own) || own.startsWith('refs/')
  return taken || own.startsWith('-') || /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(own)
}

const fullNames = fc
  .tuple(fc.constantFrom('refs/heads/', 'refs/tags/', 'refs/pr/', 'refs/'), arbitraryRefText)
  .map(([folder, text]) => folder + text)
  .filter((name) => !name.includes('\u0000'))

describe.skipIf(!git)('a ref name', () => {
  test('is accepted exactly where git accepts it and no rule of ours refuses it', () => {
    for (const name of fc.sample(fullNames, names)) {
      const expected = gitAccepts(name) && !refusedBesides(name)
      expect([name, parseRefName(name) !== undefined]).toEqual([name, expected])
    }
  }, 120_000)
})
