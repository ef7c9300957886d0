import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { releaseChangelog, releaseDate, unreleasedOf } from '../changelog.ts'
import { readCommit } from '../conventional-commit.ts'

const title = '# Changelog\n\nThe format.\n\n'
const earlier = '## 0.1.0 - 2026-01-01\n\n- An early thing.\n'
const messages = [
  'feat(gate): knows `<T>` and <b>',
  'fix: less memory',
  'refactor(hub)!: no fastify\n\nBREAKING CHANGE: answers have\nno charset.',
  'test: more',
]
const commits = messages.map((message, index) => readCommit(`${index}`.repeat(40), message))
const release = { version: '0.2.0', date: '2026-02-03', commits } as const
const made = (text: string) => releaseChangelog(text, release)

test('the hand-written part heads the version, and its commits are folded below', () => {
  const written = '### Added\n\n- A thing\n  of two lines.\n'
  expect(made(`${title}## Unreleased\n\n${written}\n${earlier}`)).toBe(`${title}## Unreleased

## 0.2.0 - 2026-02-03

${written}
### Breaking

- **hub**: answers have no charset. (2222222222)

<details>
<summary>Commits: 4</summary>

#### Features

- **gate**: knows \`<T>\` and \\<b> (0000000000)

#### Fixes

- less memory (1111111111)

Commits of tests, documents and the like: 2.

</details>

${earlier}`)
})

test('without a hand-written part, the commits are there for all to see', () => {
  const text = made(`${title}## Unreleased\n\n${earlier}`)
  expect(text).toContain('- less memory')
  expect(text).not.toContain('<details>')
})

test('a changelog without an unreleased part gets one, above the last version', () => {
  const text = made(`${title}${earlier}`)
  expect(text.startsWith(`${title}## Unreleased\n\n## 0.2.0 - 2026-02-03\n\n### Breaking`)).toBe(
    true,
  )
  expect(text.endsWith(`\n${earlier}`)).toBe(true)
})

test('the day of a version is read again', () => {
  const text = made(`${title}${earlier}`)
  expect([releaseDate(text, '0.2.0'), releaseDate(text, '0.1.0')]).toEqual([
    '2026-02-03',
    '2026-01-01',
  ])
  expect([releaseDate(text, '0.1.1'), releaseDate(text, '10.1.0')]).toEqual([undefined, undefined])
})

describe('whatever was written', () => {
  const line = fc.oneof(
    fc.constantFrom('', '### Added', '- `## Unreleased` is a heading', '  more', '#### Deep'),
    fc.stringMatching(/^- [ -~]{1,40}$/).map((text) => text.trimEnd()),
  )
  const body = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'))

  test('every line of it is in the section of the version, in its order, and earlier sections stay', () => {
    fc.assert(
      fc.property(body, (written) => {
        const text = made(`${title}## Unreleased\n\n${written}\n\n${earlier}`)
        const head = `${title}## Unreleased\n\n## 0.2.0 - 2026-02-03\n\n${written.trim()}`
        expect(text.startsWith(head)).toBe(true)
        expect(text.endsWith(`\n${earlier}`)).toBe(true)
        expect(unreleasedOf(text).trim()).toBe('')
      }),
    )
  })
})

test('a first version ends the file, with one line end', () => {
  expect(made(`${title}## Unreleased\n\n- A thing.\n`)).toMatch(
    /- A thing\.\n[\s\S]*<\/details>\n$/,
  )
})

test('the changelog of this project loses no line', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../CHANGELOG.md'), 'utf8')
  const released = made(text)
  expect(text).toMatch(/^## Unreleased$/m)
  const lines = released.split('\n')
  const kept = text.split('\n').filter((line) => lines.includes(line))
  expect(kept.join('\n')).toBe(text)
})
