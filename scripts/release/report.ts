/** Shows a release before it is made. */

import { type Artifacts, sbomFile, sumsFile } from './artifacts.ts'
import type { Plan } from './plan.ts'
import type { Sbom } from './sbom.ts'

export interface Made {
  readonly plan: Plan
  readonly files: readonly string[]
  /** The section of the changelog. */
  readonly section: string
  readonly artifacts: Artifacts
}

export function report({ plan, files, section, artifacts }: Made): string {
  const { version, last, commits } = plan
  const since = last === undefined ? 'the first release' : `after ${last}`
  const { tarballs, sbom, sums } = artifacts
  return [
    title(`Version ${version}, ${since}, of ${commits.length} commits`, countOf(commits)),
    title('CHANGELOG.md', section.trimEnd()),
    title('Files that get the version', files.join('\n')),
    ...tarballs.map(({ filename, size, files }) =>
      title(`${filename}, ${size} bytes`, files.map(fileLine).join('\n')),
    ),
    title(sbomFile, sbomLines(sbom)),
    title(sumsFile, sums.trimEnd()),
  ].join('\n\n')
}

function title(text: string, body: string): string {
  return `${text}\n${body.replace(/^(?=.)/gm, '  ')}`
}

function countOf(commits: Plan['commits']): string {
  const types = Map.groupBy(commits, ({ type }) => type)
  const counts = Array.from(types, ([type, { length }]) => `${type} ${length}`)
  const breaking = commits.filter((commit) => commit.breaking !== undefined).length
  return [...counts.toSorted(), `breaking ${breaking}`].join(', ')
}

function fileLine({ path, size }: { path: string; size: number }): string {
  return `${String(size).padStart(8)}  ${path}`
}

function sbomLines({ specVersion, components, serialNumber }: Sbom): string {
  const licences = Map.groupBy(components, ({ licenses = [] }) => {
    const [{ license, expression } = {}] = licenses
    return license?.id ?? expression ?? 'no licence named'
  })
  const counts = Array.from(licences, ([licence, { length }]) => `${licence} ${length}`)
  return [
    `CycloneDX ${specVersion}, ${components.length} components, ${serialNumber}`,
    `licences: ${counts.toSorted().join(', ')}`,
  ].join('\n')
}
