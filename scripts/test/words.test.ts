/** Counts habits of language that readers stopped at. `npm run words -- FILE` lists the places. */

import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isDecision, isGenerated } from '../words/check-page.ts'
import { findBreaches } from '../words/find-breaches.ts'
import { pages, textOf } from '../words/pages.ts'
import { clausesAsNouns, indefinitePronouns } from '../words/patterns.ts'
import { allWords, headingsIn, proseOf, withoutCode, wordsIn } from '../words/prose.ts'
import { isBareParticiple } from '../words/source.ts'

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

// 34 000 words tell about hub, gate and storage, and 4 200 about clients and kits in three languages.
test('hand-written documentation has at most 48 000 words, decisions at most 41 600', () => {
  const inDocs = written.filter((page) => page.startsWith('docs/'))
  expect(total(inDocs)).toBeLessThanOrEqual(48_000)
  expect(total(decisions)).toBeLessThanOrEqual(41_600)
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

test('no page and no source file has a habit that readers stopped at', () => {
  const breaches = Object.entries(findBreaches()).flatMap(([file, rules]) =>
    Object.entries(rules).flatMap(([rule, list]) => list.map((one) => `${file}: ${rule}: ${one}`)),
  )
  expect(breaches).toEqual([])
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

test('the changelog tells of 0.1.0 in at most 1090 words', () => {
  const changelog = readFileSync(resolve(root, 'CHANGELOG.md'), 'utf8')
  expect(headingsIn(changelog).filter((heading) => /^\[?0\.1\.0/.test(heading))).toHaveLength(1)
  expect(allWords(changelog)).toBeLessThanOrEqual(1090)
})

/** The last commit before subjects had a form. */
const formless = '14dbb13d'

const imperatives = new Set(
  `Accept Acknowledge Add Admit Allow Answer Apply Ask Assert Avoid Back Bind Block Bound Build Bundle Cache Call
   Cap Carry Change Charge Check Clean Clear Close Collect Commit Compare Compile Complete Configure Connect
   Convert Copy Correct Count Cover Create Cut Decide Declare Define Delete Deny Describe Detect Disable Divide
   Document Draw Drop Enable Encrypt End Enforce Ensure Escape Exchange Exclude Expect Expire Explain Export Expose
   Extend Feed Find Finish Fix Fold Follow Forbid Format Forward Generate Give Grant Group Guard Halve Handle Harden
   Hide Hold Ignore Improve Include Insert Install Keep Lay Learn Leave Let Limit Link List Load Lock Log Lower
   Make Map Mark Match Measure Mend Merge Move Name Note Offer Open Order Parse Pass Permit Pin Point Polish
   Poll Prefer Prepare Preserve Prevent Print Protect Prove Publish Put Quote Raise Read Rebuild Record Reduce
   Refresh Refuse Regenerate Register Reject Release Remember Remove Rename Render Renew Reorder Repeat Replace
   Report Request Require Reserve Reset Resolve Restore Retry Return Reuse Revert Revoke Reword Rewrite Rotate
   Run Save Say Seal Select Send Separate Serve Set Share Shorten Show Sign Simplify Skip Sort Speed Split
   Start State Stop Store Strip Support Survive Switch Tag Take Teach Tell Test Throttle Tidy Tighten Track
   Trim Try Turn Type Unify Update Upgrade Use Validate Verify Wait Warn Watch Widen Wrap Write`.split(
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
