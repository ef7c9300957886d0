/** The bill of materials of a release: npm's own, made the same by every run. */

import { createHash } from 'node:crypto'

interface Component {
  'bom-ref': string
  name: string
  version: string
  scope?: string
  licenses?: { license?: { id?: string }; expression?: string }[]
  hashes?: { alg: string; content: string }[]
  properties?: { name: string; value: string }[]
  externalReferences?: { type: string; url: string }[]
}

interface Dependency {
  ref: string
  dependsOn: string[]
}

/** CycloneDX 1.5, as far as it matters here. */
export interface Sbom {
  serialNumber: string
  specVersion: string
  metadata: { timestamp: string; component: Component }
  components: Component[]
  dependencies: Dependency[]
}

export interface Tarball {
  readonly name: string
  readonly version: string
  readonly filename: string
  readonly sha256: string
}

/**
 * npm writes the time, a random number and the names of folders, each of which another run has otherwise.
 * `date` is the day of the release; the number comes from the content.
 */
export function settleSbom(made: Sbom, tarballs: readonly Tarball[], date: string): Sbom {
  const sbom = structuredClone(made)
  for (const component of [sbom.metadata.component, ...sbom.components]) {
    const ref = component['bom-ref']
    component.name = nameIn(ref)
    const tarball = tarballs.find(({ name, version }) => `${name}@${version}` === ref)
    if (tarball === undefined) continue
    component.hashes = [{ alg: 'SHA-256', content: tarball.sha256 }]
    component.externalReferences = [{ type: 'distribution', url: tarball.filename }]
  }
  sbom.components = sortedBy(sbom.components, (component) => component['bom-ref'])
  sbom.dependencies = sortedBy(sbom.dependencies, ({ ref }) => ref)
  for (const dependency of sbom.dependencies) dependency.dependsOn.sort()
  sbom.metadata.timestamp = `${date}T00:00:00.000Z`
  sbom.serialNumber = ''
  sbom.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(sbom))}`
  return sbom
}

/** Tarballs of this release, each after those it depends on. */
export function inOrderOfNeed(sbom: Sbom): readonly Omit<Tarball, 'sha256'>[] {
  const needs = new Map(sbom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
  const ordered = new Set<string>()
  const visit = (ref: string, above: readonly string[]) => {
    if (ordered.has(ref) || above.includes(ref)) return
    for (const need of needs.get(ref) ?? []) visit(need, [...above, ref])
    ordered.add(ref)
  }
  for (const { 'bom-ref': ref } of sbom.components) visit(ref, [])
  const components = new Map(sbom.components.map((one) => [one['bom-ref'], one]))
  return Array.from(ordered).flatMap((ref) => {
    const { name = '', version = '', externalReferences = [] } = components.get(ref) ?? {}
    const own = externalReferences.find(({ type, url }) => type === 'distribution' && isFile(url))
    return own === undefined ? [] : [{ name, version, filename: own.url }]
  })
}

/** The name in a reference: name@version. */
export function nameIn(ref: string): string {
  return ref.slice(0, ref.lastIndexOf('@'))
}

const isFile = (url: string) => /^[\w.-]+\.tgz$/.test(url)

function sortedBy<T>(items: readonly T[], key: (item: T) => string): T[] {
  return items.toSorted((one, other) => (key(one) < key(other) ? -1 : 1))
}

/** RFC 9562 §5.8: a UUID of one's own making. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16)
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`]
  return [...parts, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')
}
