/** Ref names are judged as git judges them, apart from the names that this service refuses besides. */

import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRefName } from '../src/index.ts'
import { arbitraryRefText } from './arbitraries.ts'

const names = process.env['LATCHKEY_SOAK'] ? 4000 : 250
const git = spawnSync('git', ['--version']).status === 0
if (!git) console.warn('SKIPPED: git is not installed, so ref names are not compared with it')

/** A shell starts git for each: from a process as large as that of a test it takes several times as long. */
const askGit = `while IFS= read -r -d '' name; do
  git check-ref-format "$name" && echo yes || echo no
done`

function acceptedByGit(asked: readonly string[]): readonly boolean[] {
  const input = asked.map((name) => `${name}\0`).join('')
  const { stdout } = spawnSync('bash', ['-c', askGit], { input, encoding: 'utf8' })
  const answers = stdout.trimEnd().split('\n')
  expect(answers).toHaveLength(asked.length)
  return answers.map((answer) => answer === 'yes')
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
    const sample = fc.sample(fullNames, names)
    const accepted = acceptedByGit(sample)
    expect(new Set(accepted)).toEqual(new Set([true, false]))
    for (const [index, name] of sample.entries()) {
      const expected = accepted[index] === true && !refusedBesides(name)
      expect([name, parseRefName(name) !== undefined]).toEqual([name, expected])
    }
  }, 120_000)
})
