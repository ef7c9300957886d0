/** Which components a release consists of: its packages, what they have bundled, and all that these need. */

import type { LockEntry } from './manifests.ts'
import { nameIn, type Sbom } from './sbom.ts'

type Entries = Readonly<Record<string, LockEntry>>

/**
 * npm leaves out, as development's, what a test tool needs as well, and else puts in what a user may bring or not: optional peers.
 * Here the development's dependencies of a released package count, because they are what its tarball has bundled.
 */
export function keepNeeded(listed: Sbom, released: readonly string[], entries: Entries): Sbom {
  const optional = optionalPeers(entries)
  const dependencies = listed.dependencies.map(({ ref, dependsOn }) => {
    return { ref, dependsOn: dependsOn.filter((need) => !optional.get(ref)?.has(nameIn(need))) }
  })
  const needs = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
  const root = listed.metadata.component['bom-ref']
  const refs = listed.components.map((one) => one['bom-ref'])
  needs.set(
    root,
    refs.filter((ref) => released.includes(nameIn(ref))),
  )
  const kept = reachable(root, needs)
  return {
    ...listed,
    components: listed.components.filter((one) => kept.has(one['bom-ref'])).map(withoutMark),
    dependencies: [...kept].map((ref) => ({ ref, dependsOn: needs.get(ref) ?? [] })),
  }
}

function reachable(from: string, needs: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set([from])
  for (const ref of found) for (const need of needs.get(ref) ?? []) found.add(need)
  return found
}

/** Names by the reference of the package that can do without them. */
function optionalPeers(entries: Entries): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    Object.entries(entries).map(([place, entry]) => {
      const { name = place.replace(/^(?:.*node_modules|packages)\//, ''), version } = entry
      const peers = Object.entries(entry.peerDependenciesMeta ?? {})
      const names = peers.filter(([, { optional }]) => optional === true).map(([peer]) => peer)
      const bound = { ...entry.dependencies, ...entry.devDependencies }
      return [`${name}@${version}`, new Set(names.filter((peer) => !(peer in bound)))]
    }),
  )
}

/** What a release consists of is no longer development's. */
function withoutMark<T extends Sbom['components'][number]>(component: T): T {
  const { properties = [] } = component
  const kept = properties.filter(({ name }) => name !== 'cdx:npm:package:development')
  return { ...component, properties: kept }
}
