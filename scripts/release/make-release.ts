/** Makes a release on this machine, or shows what it would be. */

import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeArtifacts } from './artifacts.ts'
import { releaseChangelog, sectionOf, unreleasedOf } from './changelog.ts'
import { inClone } from './clone.ts'
import { changedFiles, commitAndTag, headOf } from './git.ts'
import { writeVersion } from './manifests.ts'
import { obstacles, type Plan, planRelease, type Refused, type Wish } from './plan.ts'
import { type Made, report } from './report.ts'
import type { Version } from './version.ts'

const changelog = 'CHANGELOG.md'

export interface Asked extends Wish {
  readonly branch: string
  readonly isDryRun: boolean
}

export function releaseFolder(root: string, version: Version): string {
  return join(root, 'release', version)
}

/** Everything that takes long or can fail is done in the clone; the tree is changed at the end, or never. */
export function release(root: string, asked: Asked): Refused | undefined {
  const plan = planRelease(root, asked)
  if ('refusal' in plan) return plan
  const found = obstacles(root, asked.branch)
  if (found.length > 0 && !asked.isDryRun) return { refusal: found.join('\n') }
  return inClone(root, plan.head, (clone, into) => {
    const made = makeInClone(clone, plan, into)
    console.log(report(made))
    if (!asked.isDryRun) return keep(root, plan, into)
    console.log('\nDry run: nothing was changed.')
    for (const obstacle of found) console.log(`A release would be refused. ${obstacle}`)
    return undefined
  })
}

function makeInClone(clone: string, plan: Plan, into: string): Made {
  const unreleased = unreleasedOf(readFileSync(join(clone, changelog), 'utf8'))
  const files = writeFiles(clone, plan)
  const artifacts = makeArtifacts(clone, plan.version, into)
  return { plan, files, section: sectionOf(unreleased, plan), artifacts }
}

function keep(root: string, plan: Plan, made: string): Refused | undefined {
  const { version } = plan
  if (headOf(root) !== plan.head || changedFiles(root).length > 0) {
    return {
      refusal:
        'The tree has changed while the release was made, so nothing was kept. Run it again.',
    }
  }
  if (!commitAndTag(root, version, writeFiles(root, plan))) {
    return { refusal: 'git has not taken commit or tag (see above). The tree is as it was.' }
  }
  const folder = releaseFolder(root, version)
  rmSync(folder, { recursive: true, force: true })
  cpSync(made, folder, { recursive: true })
  console.log(`
Committed and tagged v${version}; its files are in release/${version}. Nothing was uploaded. Next:
  git push --follow-tags
  npm run release -- --publish ${version}`)
  return undefined
}

/** The files that were written. */
function writeFiles(folder: string, plan: Plan): readonly string[] {
  const file = join(folder, changelog)
  writeFileSync(file, releaseChangelog(readFileSync(file, 'utf8'), plan))
  return [changelog, ...writeVersion(folder, plan.version)]
}
