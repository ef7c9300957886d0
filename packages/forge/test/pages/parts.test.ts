/** Names that users choose stay text, on a page and in a shell. */

import { spawnSync } from 'node:child_process'
import { noCommit, type RefName, repoRef } from '@latchkey/protocol'
import { anyText } from '@latchkey/testing/any-text'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ObjectHash } from '../../src/git/index.ts'
import { crumbs } from '../../src/pages/crumbs.ts'
import { filesPart } from '../../src/pages/files-part.ts'
import { downloadCommand, howTo, shellText } from '../../src/pages/how-to.ts'
import { hrefsOf } from '../../src/pages/hrefs.ts'
import { refsPart } from '../../src/pages/refs-part.ts'
import { rounds } from '../rounds.ts'

const publicUrl = 'https://hub.example/below'
const repo = repoRef('dataset', 'acme', 'pets') ?? expect.unreachable()
const hrefs = hrefsOf(publicUrl, repo)
const hash = 'a'.repeat(40) as ObjectHash

const name = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '<',
        '>',
        '"',
        "'",
        '&',
        '<script>',
        'x',
        '/',
        '?',
        '#',
        '%',
        '\\',
        '$(id)',
        '`',
      ),
      fc.constantFrom(
        ' ',
        '\n',
        '\0',
        '\u202e',
        '\u2028',
        '\ufffd',
        '&lt;',
        'javascript:',
        '..',
        '-',
      ),
      anyText({ maxLength: 3 }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join('').toWellFormed())

const tags = 'table|thead|tbody|tr|th|td|ul|li|h2|p|pre|code|nav|span|bdi'
const attribute =
  '(?: (?:class|scope|tabindex|aria-[a-z]+|rel)="[\\w ]*"| href="/below/datasets/acme/pets/[^"<>]*")'
const allowed = new RegExp(`</?(?:a|${tags})${attribute}*>`, 'g')

test('no name becomes a tag, an attribute or an address elsewhere', () => {
  fc.assert(
    fc.property(name, name, (path, revision) => {
      const kinds = ['file', 'folder', 'symlink', 'submodule'] as const
      const entries = kinds.map((kind) => ({ path, kind, mode: '', hash }) as never)
      const refs = new Map([[`refs/heads/${revision}` as RefName, noCommit]])
      refs.set(`refs/tags/${revision}` as RefName, hash as never)
      const how = { publicUrl, repo, revision }
      const markup = [
        filesPart({ entries, files: [], path, next: 'abc' }, hrefs, revision),
        crumbs(hrefs, revision, path),
        refsPart({ repositoryUid: '' as never, refs, isAll: true }, hrefs, revision),
        howTo(how),
        downloadCommand(how, path),
      ]
        .map((part) => part?.markup)
        .join('')
      expect(markup.replaceAll(allowed, '')).not.toMatch(/[<>]/)
      for (const [, shown = ''] of markup.matchAll(/<bdi>(.*?)<\/bdi>/gs)) {
        expect(shown).not.toMatch(/[\p{Cc}\u202e\u2028]/u)
      }
    }),
    { numRuns: rounds(150, 20_000) },
  )
})

test('a shell takes a name for one word, whatever it is', () => {
  const names = fc
    .sample(name, { numRuns: rounds(200, 5000), seed: 1 })
    .filter((one) => !one.includes('\0'))
  const words = names.map(shellText).join(' ')
  const { stdout } = spawnSync('sh', ['-s'], { input: `printf '%s\\1' ${words}`, encoding: 'utf8' })
  expect(stdout.split('\x01').slice(0, -1)).toEqual(names)
})

test.each(['-x', 'a\nb', 'a\u202eb', 'a\u001bb'])(
  'there is no line to paste for a file %j',
  (path) => {
    expect(downloadCommand({ publicUrl, repo, revision: 'main' }, path)).toBeUndefined()
  },
)
