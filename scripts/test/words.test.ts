/** Counts habits of language that readers stopped at. `npm run words -- FILE` lists the places. */

import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isDecision, isGenerated } from '../words/check-page.ts'
import { pages, textOf } from '../words/pages.ts'
import { clausesAsNouns, indefinitePronouns, isHeadless } from '../words/patterns.ts'
import { allWords, headingsIn, proseOf, sentencesIn, withoutCode, wordsIn } from '../words/prose.ts'
import { countBreaches, findBreaches, readRatchet } from '../words/ratchet.ts'
import { commentCount, headlessComments, isBareParticiple, sourceFiles } from '../words/source.ts'

const root = resolve(import.meta.dirname, '../..')

describe('the README', () => {
  const text = textOf('README.md')

  test('has at most 900 words and 110 lines', () => {
    expect(allWords(text)).toBeLessThanOrEqual(900)
    expect(text.split('\n').length).toBeLessThanOrEqual(111)
  })

  test('has a picture, and its first command within 150 words', () => {
    expect(text).toMatch(/!\[[^\]]+\]\([^)]+\)/)
    expect(allWords(text.slice(0, text.indexOf('```sh')))).toBeLessThanOrEqual(150)
  })

  test('has tables of at most 8 rows', () => {
    const tables = withoutCode(text).match(/(?:^\|.*\n)+/gm) ?? []
    expect(
      Math.max(...tables.map((table) => table.trim().split('\n').length - 2)),
    ).toBeLessThanOrEqual(8)
  })
})

const written = pages.filter((page) => !isGenerated(textOf(page)) && !isDecision(page))
const decisions = pages.filter(isDecision)

function total(list: readonly string[]): number {
  return list.reduce((sum, page) => sum + allWords(textOf(page)), 0)
}

test('hand-written documentation has at most 34 000 words, decisions at most 36 000', () => {
  const inDocs = written.filter((page) => page === 'README.md' || page.startsWith('docs/'))
  expect(total(inDocs)).toBeLessThanOrEqual(34_000)
  expect(total(decisions)).toBeLessThanOrEqual(36_000)
})

const folders = Object.entries(
  Object.groupBy(written, (page) => /^docs\/\w+(?=\/)/.exec(page)?.[0] ?? 'elsewhere'),
)

test.each(folders)('pages in %s name the actor and the thing', (_, list = []) => {
  const prose = list.map((page) => proseOf(textOf(page))).join('\n\n')
  const perThousand = (count: number) => (count * 1000) / wordsIn(prose)
  expect(perThousand(clausesAsNouns(prose))).toBeLessThanOrEqual(2)
  expect(perThousand(indefinitePronouns(prose))).toBeLessThanOrEqual(0.5)
})

test('at most one sentence in a hundred of the decisions starts without an actor', () => {
  const sentences = decisions.flatMap((page) => sentencesIn(proseOf(textOf(page))))
  expect(sentences.filter(isHeadless).length / sentences.length).toBeLessThanOrEqual(0.01)
})

test('at most one comment in a hundred starts without an actor', () => {
  const texts = sourceFiles().map(({ text }) => text)
  const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0)
  const headless = sum(texts.map((text) => headlessComments(text).length))
  expect(headless / sum(texts.map(commentCount))).toBeLessThanOrEqual(0.01)
})

test('no count of the ratchet rises, and a lower one is written down', () => {
  const now = countBreaches(findBreaches())
  const allowed = readRatchet()
  const places = new Set([...Object.keys(now), ...Object.keys(allowed)])
  const changed = [...places].flatMap((file) => {
    const rules = new Set([...Object.keys(now[file] ?? {}), ...Object.keys(allowed[file] ?? {})])
    return [...rules].flatMap((rule) => {
      const [count, most] = [now[file]?.[rule] ?? 0, allowed[file]?.[rule] ?? 0]
      if (count === most) return []
      const then = count > most ? `npm run words -- ${file}` : 'npm run words -- --lower'
      return [`${file}: ${rule}: ${count}, the ratchet has ${most}. Run: ${then}`]
    })
  })
  expect(changed).toEqual([])
})

test('the ratchet lists decisions and sources only', () => {
  const others = Object.keys(readRatchet()).filter(
    (place) => !isDecision(place) && !place.startsWith('packages/'),
  )
  expect(others).toEqual([])
})

test('public declarations export no bare participle, and limits are named max and min', () => {
  const names = globSync('api/*.d.ts', { cwd: root }).flatMap((file) => {
    const text = readFileSync(resolve(root, file), 'utf8')
    const exported = text.matchAll(
      /^export (?:declare )?(?:interface|type|class|function|const) (\w+)/gm,
    )
    return Array.from(exported, ([, name = '']) => name)
  })
  expect(names.length).toBeGreaterThan(100)
  expect(names.filter(isBareParticiple)).toEqual([])
  expect(names.filter((name) => /^(?:most|longest|least|shortest)[A-Z]/.test(name))).toEqual([])
})

test('the changelog tells of 0.1.0 in at most 800 words', () => {
  const changelog = readFileSync(resolve(root, 'CHANGELOG.md'), 'utf8')
  expect(headingsIn(changelog).filter((heading) => /^\[?0\.1\.0/.test(heading))).toHaveLength(1)
  expect(allWords(changelog)).toBeLessThanOrEqual(800)
})

/** The last commit before subjects had a form. */
const formless = '14dbb13d'

const imperatives = new Set(
  `Accept Acknowledge Add Allow Answer Apply Ask Avoid Bind Bound Build Bundle Cache Call Carry Change Check Close Collect
   Commit Compare Compile Complete Correct Count Cover Create Cut Decide Declare Delete Deny Describe Document Draw Drop
   Enforce Ensure Explain Export Extend Find Finish Fix Fold Format Generate Give Group Guard Halve Handle Hide Hold
   Ignore Improve Include Keep Lay Let Limit Link List Load Log Lower Make Mark Match Measure Merge Move Name Note Open Order
   Pass Pin Point Polish Prepare Prevent Print Prove Publish Put Raise Read Record Reduce Refuse Regenerate Reject Release
   Remove Rename Render Reorder Replace Report Require Reset Resolve Restore Return Revert Reword Rewrite Rotate Run Say
   Send Separate Serve Set Share Shorten Show Simplify Skip Sort Sort Speed Split Start State Stop Store Support Tag Take Teach
   Tell Test Tidy Tighten Trim Try Turn Type Unify Update Upgrade Use Verify Wait Warn Watch Wrap Write`.split(
    /\s+/,
  ),
)

test('subjects of commits are imperative and have at most 72 characters', () => {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', stdio: 'pipe' })
  // A tarball has no history, and a shallow clone not all of it.
  const isThere = (() => {
    try {
      return git('cat-file', '-t', formless).trim() === 'commit'
    } catch {
      return false
    }
  })()
  const range = isThere ? `${formless}..HEAD` : 'HEAD'
  const subjects = isThere ? git('log', '--no-merges', '--format=%s', range).trim().split('\n') : []
  const wrong = subjects.filter(
    (subject) => subject.length > 72 || !imperatives.has(subject.split(/[ -]/, 1)[0] ?? ''),
  )
  expect(wrong).toEqual([])
})
