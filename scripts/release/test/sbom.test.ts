/** The bill of materials is CycloneDX, of what is released and nothing else. */

import { sharedFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { listNeeds } from '../artifacts.ts'
import { inOrderOfNeed, type Sbom, settleSbom } from '../sbom.ts'
import { unreleased } from './repository.ts'

/** CycloneDX 1.5, of which npm uses this much: what is not here is a mistake too. */
const text = z.string().min(1)
const hex = (length: number) => z.string().regex(new RegExp(`^[0-9a-f]{${length}}$`))
const hash = z.union([
  z.strictObject({ alg: z.literal('SHA-256'), content: hex(64) }),
  z.strictObject({ alg: z.literal('SHA-512'), content: hex(128) }),
])
const component = z.strictObject({
  'bom-ref': text,
  type: z.literal('library'),
  name: text,
  version: text,
  scope: z.enum(['required', 'optional']),
  author: text.optional(),
  description: text.optional(),
  purl: z.string().startsWith('pkg:npm/'),
  properties: z.array(z.strictObject({ name: text, value: text })),
  externalReferences: z.array(z.strictObject({ type: text, url: text })),
  hashes: z.array(hash).length(1).optional(),
  licenses: z.array(
    z.union([
      z.strictObject({ license: z.strictObject({ id: text }) }),
      z.strictObject({ expression: text }),
    ]),
  ),
})
const bom = z.strictObject({
  $schema: z.literal('http://cyclonedx.org/schema/bom-1.5.schema.json'),
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.literal('1.5'),
  serialNumber: z.templateLiteral(['urn:uuid:', z.uuid()]),
  version: z.literal(1),
  metadata: z.strictObject({
    timestamp: z.iso.datetime(),
    lifecycles: z.array(z.strictObject({ phase: z.literal('pre-build') })),
    tools: z.array(z.strictObject({ vendor: text, name: text, version: text })),
    component,
  }),
  components: z.array(component),
  dependencies: z.array(z.strictObject({ ref: text, dependsOn: z.array(text) })),
})

const version = '0.1.0'
const tarballs = [
  { name: 'one', version, filename: 'one-0.1.0.tgz', sha256: '1'.repeat(64) },
  { name: '@own/two', version, filename: 'own-two-0.1.0.tgz', sha256: '2'.repeat(64) },
]
const folder = sharedFolder()
let sbom: z.infer<typeof bom>

beforeAll(() => {
  sbom = bom.parse(settleSbom(listNeeds(unreleased(folder).root), tarballs, '2026-02-03'))
})

test('every reference leads to one component', () => {
  const refs = [sbom.metadata.component, ...sbom.components].map((one) => one['bom-ref'])
  expect(new Set(refs).size).toBe(refs.length)
  expect(sbom.dependencies.map(({ ref }) => ref).toSorted()).toEqual(refs.toSorted())
  const needed = sbom.dependencies.flatMap(({ dependsOn }) => dependsOn)
  expect(needed.filter((ref) => !refs.includes(ref))).toEqual([])
})

test('it names what is released, bundled and needed, and nothing for tests or that users bring', () => {
  const names = sbom.components.map(({ name, version, purl }) => [name, version, purl])
  expect(names).toEqual([
    ['@own/two', '0.1.0', 'pkg:npm/%40own/two@0.1.0'],
    ['bundled', '1.0.0', 'pkg:npm/bundled@1.0.0'],
    ['one', '0.1.0', 'pkg:npm/one@0.1.0'],
    ['zod', '4.0.0', 'pkg:npm/zod@4.0.0'],
  ])
  expect(sbom.dependencies).toEqual([
    { ref: '@own/two@0.1.0', dependsOn: ['bundled@1.0.0', 'one@0.1.0'] },
    { ref: 'bundled@1.0.0', dependsOn: [] },
    { ref: 'one@0.1.0', dependsOn: ['zod@4.0.0'] },
    { ref: 'root@0.1.0', dependsOn: ['@own/two@0.1.0', 'one@0.1.0'] },
    { ref: 'zod@4.0.0', dependsOn: [] },
  ])
  expect(sbom.components.flatMap(({ properties }) => properties)).toEqual([])
  expect(sbom.metadata.component.name).toBe('root')
})

test('packages of the release have the sums of their tarballs, others those of the lockfile', () => {
  const hashes = sbom.components.map((one) => one.hashes?.[0]?.content)
  expect(hashes).toEqual([
    '2'.repeat(64),
    Buffer.alloc(64, 7).toString('hex'),
    '1'.repeat(64),
    Buffer.alloc(64, 7).toString('hex'),
  ])
})

test('its time is the day of the release, and its number comes from its content', () => {
  expect(sbom.metadata.timestamp).toBe('2026-02-03T00:00:00.000Z')
  const settled = (given: Partial<Sbom>) =>
    settleSbom({ ...sbom, ...given } as Sbom, [], '2026-02-04')
  const other = settled({})
  const again = settled({
    serialNumber: 'urn:uuid:1',
    components: sbom.components.toReversed() as Sbom['components'],
  })
  const less = settled({ components: [] })
  expect(again).toEqual(other)
  expect(new Set([sbom, other, less].map(({ serialNumber }) => serialNumber)).size).toBe(3)
})

test('packages that need each other come in some order, each once', () => {
  const own = (name: string) => ({
    'bom-ref': name,
    name,
    version: '1.0.0',
    externalReferences: [{ type: 'distribution', url: `${name}-1.0.0.tgz` }],
  })
  const circle: Sbom = {
    ...(sbom as Sbom),
    components: ['a', 'b', 'c'].map(own),
    dependencies: [
      { ref: 'a', dependsOn: ['c', 'b'] },
      { ref: 'b', dependsOn: ['a'] },
      { ref: 'c', dependsOn: [] },
    ],
  }
  expect(inOrderOfNeed(circle).map(({ name }) => name)).toEqual(['c', 'b', 'a'])
})
