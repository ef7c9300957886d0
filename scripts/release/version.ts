/** Versions of the form 1.2.3, and which one comes next. */

import type { Commit } from './conventional-commit.ts'

export type Version = `${number}.${number}.${number}`
export type Step = 'major' | 'minor' | 'patch'

const form = /^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){2}$/

/** Prereleases are not made: nothing here says how they are ordered. */
export function isVersion(text: string): text is Version {
  return form.test(text)
}

export function isStep(text: string): text is Step {
  return text === 'major' || text === 'minor' || text === 'patch'
}

function numbers(version: Version): [major: number, minor: number, patch: number] {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return [major, minor, patch]
}

export function isGreater(one: Version, other: Version): boolean {
  const [a, b] = [numbers(one), numbers(other)]
  const at = a.findIndex((number, index) => number !== b[index])
  return at !== -1 && (a[at] ?? 0) > (b[at] ?? 0)
}

export function nextVersion(version: Version, step: Step): Version {
  const [major, minor, patch] = numbers(version)
  if (step === 'major') return `${major + 1}.0.0`
  if (step === 'minor') return `${major}.${minor + 1}.0`
  return `${major}.${minor}.${patch + 1}`
}

/** SemVer 4: before 1.0.0, a break is a minor step. Whether 1.0.0 has come, a person decides. */
export function stepOf(commits: readonly Commit[], version: Version): Step {
  if (commits.some(({ breaking }) => breaking !== undefined)) {
    return version.startsWith('0.') ? 'minor' : 'major'
  }
  return commits.some(({ type }) => type === 'feat') ? 'minor' : 'patch'
}
