/** Each package arrives whole at those who install it, and brings no more than it needs. */

import { globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join, normalize, relative } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { folderOf, libraries, packages, root } from '../packages.ts'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly keywords: readonly string[]
  /** Of all but the vectors, which are data. */
  readonly engines?: { readonly node: string }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const pathOf = (name: string) => relative(root, folderOf(name))
const manifestOf = (name: string): Manifest => JSON.parse(read(`${pathOf(name)}/package.json`))

/** In bytes, packed: some room above what it takes today, so that a careless dependency or a stray file is seen. */
const budgets: Readonly<Record<(typeof packages)[number], number>> = {
  protocol: 64_000,
  token: 40_000,
  service: 330_000,
  client: 60_000,
  'admin-client': 50_000,
  xet: 200_000,
  gate: 165_000,
  gateway: 70_000,
  conform: 160_000,
  vectors: 160_000,
  cli: 1_300_000,
}

const beside = /^(?:README\.md|LICENSE|package\.json)$/
const compiled = /^(?:src\/.*\.ts|dist\/.*\.(?:js|d\.ts)(?:\.map)?)$/
const data = /^(?:schema\/)?[\w-]+\.json$/
const bundled = /^(?:bin\/[\w-]+\.js|dist\/command\/(?:[\w/.-]+\.js|licenses\.md|commit\.txt))$/

describe.each(packages)('%s', (name) => {
  const manifest = manifestOf(name)
  const tarball = inject('tarballs').find((one) => one.name === manifest.name)
  const files = tarball?.files ?? []
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = manifest

  test('holds what runs, what it was made of, a README and a licence, and nothing else', () => {
    const own = name === 'cli' ? bundled : name === 'vectors' ? data : compiled
    expect(files.filter((file) => !own.test(file) && !beside.test(file))).toEqual([])
    expect(files.filter((file) => /(?:^|\/)test\/|\.test\./.test(file))).toEqual([])
    expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'package.json']))
    expect(read(`${pathOf(name)}/LICENSE`)).toBe(read('LICENSE'))
  })

  test('stays within its size', () => {
    expect(tarball?.bytes).toBeLessThan(budgets[name])
    // A budget that is far too large would notice nothing.
    expect(tarball?.bytes).toBeGreaterThan(budgets[name] / 2)
  })

  test('says what it is, and names the reason for each dependency', () => {
    expect(manifest.description).not.toBe('')
    expect(manifest.keywords).toContain('latchkey')
    const needed = { ...dependencies, ...optionalDependencies, ...peerDependencies }
    const rows = read(`${pathOf(name)}/README.md`)
      .split('\n')
      .filter((line) => line.startsWith('| `'))
    const reasons = Object.keys(needed).filter(
      (other) => !rows.some((row) => row.split('|')[1]?.includes(`\`${other}\``)),
    )
    expect(reasons).toEqual([])
  })

  test('has the version of the others, and asks for that one of them', () => {
    const { version } = manifestOf('protocol')
    expect(manifest.version).toBe(version)
    const ours = Object.entries(dependencies).filter(([other]) => other.startsWith('@latchkey/'))
    expect(ours.filter(([, range]) => range !== `^${version}`)).toEqual([])
  })

  test('imports only what it depends on', () => {
    const needed = [...Object.keys({ ...dependencies, ...peerDependencies }), manifest.name]
    const undeclared = importsIn(
      files.filter((file) => file.endsWith('.js')),
      name,
    ).filter((target) => !needed.includes(target))
    expect(undeclared).toEqual([])
  })
})

describe.each(libraries)('%s', (name) => {
  const files = globSync('dist/**/*.map', { cwd: folderOf(name) })

  test('its maps lead to the sources in the same tarball', () => {
    const { name: installed } = manifestOf(name)
    const packed = inject('tarballs').find((one) => one.name === installed)?.files
    const sources = files.flatMap((file) => {
      const map = JSON.parse(read(`${pathOf(name)}/${file}`))
      return map.sources.map((source: string) => normalize(join(file, '..', source)))
    })
    expect(sources.length).toBeGreaterThan(0)
    expect(sources.filter((source: string) => !packed?.includes(source))).toEqual([])
  })

  test('is compiled with what the oldest Node that it supports has', () => {
    const [, major] = /^>=(\d+)/.exec(manifestOf(name).engines?.node ?? '') ?? []
    const { extends: config } = JSON.parse(read(`${pathOf(name)}/tsconfig.build.json`))
    expect(config).toBe(`../../tsconfig.node-${major}.json`)
    expect(read(`tsconfig.node-${major}.json`)).toContain(`@types-${major}`)
  })
})

/** The packages that compiled files import, by their names. */
function importsIn(files: readonly string[], name: string): readonly string[] {
  const statement =
    /^(?:import|export) (?:[^'"]*? from )?["']([^'"]+)["']|\bimport\(["']([^'"]+)["']\)/gm
  const targets = files.flatMap((file) =>
    Array.from(
      read(`${pathOf(name)}/${file}`).matchAll(statement),
      ([, one, other]) => one ?? other,
    ),
  )
  const outside = targets.filter((target) => target !== undefined && /^[@a-z]/.test(target))
  const named = outside.map((target = '') => /^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? '')
  return [...new Set(named)].filter((target) => !isBuiltin(target) && !target.startsWith('node:'))
}
