/** Which version comes next, and what stands in its way. */

import type { Release } from './changelog.ts'
import { branchOf, changedFiles, commitsSince, hasTag, headOf, lastVersion } from './git.ts'
import { outOfStep, readWorkspace } from './manifests.ts'
import { readPassed } from './tests-passed.ts'
import { isGreater, isStep, isVersion, nextVersion, stepOf, type Version } from './version.ts'

export interface Plan extends Release {
  /** Undefined before the first release. */
  readonly last: Version | undefined
  /** The commit that is released. */
  readonly head: string
}

export interface Refused {
  readonly refusal: string
}

export interface Wish {
  /** A version or a step; without one, the commits decide. */
  readonly word: string | undefined
  /** The day of the release: 2026-01-31. */
  readonly date: string
}

export function planRelease(root: string, { word, date }: Wish): Plan | Refused {
  const workspace = readWorkspace(root)
  const current = workspace.manifests.get('')?.version ?? ''
  if (!isVersion(current)) return refuse('package.json has no version like 1.2.3. Write one.')
  const strays = outOfStep(workspace)
  if (strays.length > 0) {
    return refuse(
      `Versions are out of step with ${current} of package.json: ${strays.join('; ')}. Make them the same.`,
    )
  }
  const last = lastVersion(root)
  if (last !== undefined && last !== current) {
    return refuse(`package.json says ${current}, and the last tag v${last}. Make them the same.`)
  }
  const commits = commitsSince(root, last)
  if (commits.length === 0) {
    return refuse(`There is no commit since v${last}, so there is nothing to release.`)
  }
  const version = chooseVersion({ word, current, last, commits })
  if (version === undefined) {
    return refuse(`${word} is neither a version like 1.2.3 nor major, minor or patch.`)
  }
  if (hasTag(root, version)) {
    return refuse(`The tag v${version} exists already. Name a greater version.`)
  }
  if (isGreater(current, version)) {
    return refuse(`${version} is lower than ${current}. Name a greater version.`)
  }
  return { version, date, last, commits, head: headOf(root) }
}

interface Choice extends Pick<Plan, 'last' | 'commits'>, Pick<Wish, 'word'> {
  readonly current: Version
}

/** A version that no tag has was never released, so the first release takes it as it is. */
function chooseVersion({ word, current, last, commits }: Choice): Version | undefined {
  if (word === undefined) {
    return last === undefined ? current : nextVersion(last, stepOf(commits, last))
  }
  if (isStep(word)) return nextVersion(current, word)
  return isVersion(word) ? word : undefined
}

/** Reasons for which a release is refused; a dry run only prints them. */
export function obstacles(root: string, branch: string): readonly string[] {
  const found: string[] = []
  const changed = changedFiles(root)
  if (changed.length > 0) {
    const some = changed.slice(0, 3).map((line) => line.trim())
    const more = changed.length > 3 ? ` and ${changed.length - 3} more` : ''
    found.push(
      `The tree has changes that are not committed (${some.join(', ')}${more}). Commit or stash them.`,
    )
  }
  const here = branchOf(root)
  if (here !== branch) {
    found.push(`This is ${here}, not ${branch}; --branch ${here} releases from here.`)
  }
  if (readPassed(root) === undefined) {
    found.push('The tests have not passed on the last commit. Run: npm test')
  }
  return found
}

function refuse(refusal: string): Refused {
  return { refusal }
}
