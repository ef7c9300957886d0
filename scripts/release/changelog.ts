/** Turns the Unreleased section of the changelog into the section of a version. */

import type { Commit } from './conventional-commit.ts'
import type { Version } from './version.ts'

/** Types whose commits a user of the packages may notice, and their headings. */
// biome-ignore format: a table is read by its columns
const headings: Readonly<Record<string, string>> = {
  feat:   'Features',
  fix:    'Fixes',
  perf:   'Performance',
  revert: 'Reverts',
  other:  'Other',
}

export interface Release {
  readonly version: Version
  /** A day: 2026-01-31. */
  readonly date: string
  readonly commits: readonly Commit[]
}

/** Everything that was in the text stays, in its order. */
export function releaseChangelog(text: string, release: Release): string {
  const { before, unreleased, after } = split(text)
  const sections = [sectionOf(unreleased, release), after].filter((part) => part !== '')
  return `${before}## Unreleased\n\n${sections.join('\n')}`
}

/** The hand-written part comes first: it is written for readers, the commits for those who look closer. */
export function sectionOf(unreleased: string, { version, date, commits }: Release): string {
  const breaking = commits.filter((commit) => commit.breaking !== undefined)
  const parts = [
    `## ${version} - ${date}`,
    unreleased.trim(),
    breaking.length === 0 ? '' : `### Breaking\n\n${breaking.map(breakLine).join('\n')}`,
    unreleased.trim() === '' ? listOf(commits) : folded(listOf(commits), commits.length),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

export function unreleasedOf(text: string): string {
  return split(text).unreleased
}

/** The day on which a version was released, if the changelog has it. */
export function releaseDate(text: string, version: Version): string | undefined {
  const heading = text.split('\n').find((line) => line.startsWith(`## ${version} - `))
  return heading?.slice(`## ${version} - `.length)
}

/** A changelog without an Unreleased section gets the new version above the last one. */
function split(text: string): { before: string; unreleased: string; after: string } {
  const [before = '', ...sections] = text.split(/^(?=## )/m)
  const [first = ''] = sections
  const isUnreleased = /^## Unreleased *$/m.test(first.split('\n', 1)[0] ?? '')
  const after = sections.slice(isUnreleased ? 1 : 0).join('')
  return { before, unreleased: isUnreleased ? first.replace(/^.*\n?/, '') : '', after }
}

function listOf(commits: readonly Commit[]): string {
  const groups = Object.entries(headings).map(([type, heading]) => {
    const lines = commits.filter((commit) => commit.type === type).map(commitLine)
    return lines.length === 0 ? '' : `#### ${heading}\n\n${lines.join('\n')}`
  })
  const rest = commits.filter(({ type }) => headings[type] === undefined).length
  const note = rest === 0 ? '' : `Commits of tests, documents and the like: ${rest}.`
  return [...groups, note].filter((part) => part !== '').join('\n\n')
}

function folded(list: string, count: number): string {
  return `<details>\n<summary>Commits: ${count}</summary>\n\n${list}\n\n</details>`
}

function commitLine({ hash, scope, subject }: Commit): string {
  return line(scope, subject, hash)
}

function breakLine({ hash, scope, breaking = '' }: Commit): string {
  return line(scope, breaking, hash)
}

function line(scope: string | undefined, text: string, hash: string): string {
  return `- ${scope === undefined ? '' : `**${scope}**: `}${withoutTags(text)} (${hash.slice(0, 10)})`
}

/** A `<` outside of code could end the folded part. */
function withoutTags(text: string): string {
  return text.replace(/`[^`]*`|</g, (found) => (found === '<' ? '\\<' : found))
}
