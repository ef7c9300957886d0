/** Proves that imports go one way: between packages as declared here, between a package's folders without a cycle, from tests to public entries, which are named one by one. */

import { globSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { platformFiles } from './packages/platform-files.ts'

/** A test gives another one. */
const root = resolve(import.meta.dirname, '..', process.argv[2] ?? '')

/** What each package may import of the others; everything else is a wall. */
const allowed: Record<string, readonly string[]> = {
  protocol: [],
  token: ['protocol'],
  service: ['protocol'],
  'admin-api': ['protocol', 'service'],
  hub: ['protocol', 'token', 'service', 'admin-api'],
  gate: ['protocol', 'token', 'service'],
  gateway: ['protocol', 'service', 'gate'],
  client: ['protocol'],
  'admin-client': ['protocol', 'client'],
  xet: ['protocol', 'client'],
  storage: ['protocol', 'service', 'gate', 'xet', 'client'],
  forge: ['protocol', 'service', 'admin-api'],
  conform: ['protocol', 'token', 'gate'],
  cli: [
    'protocol',
    'service',
    'admin-api',
    'hub',
    'gate',
    'gateway',
    'xet',
    'storage',
    'client',
    'admin-client',
    'forge',
    'conform',
  ],
  testing: [
    'protocol',
    'token',
    'service',
    'admin-api',
    'hub',
    'gate',
    'gateway',
    'xet',
    'forge',
    'cli',
  ],
}

/** Rooms in which decisions are made, and all they may look at; no clock and no chance either. */
const pure: Record<string, readonly string[]> = {
  'packages/protocol/src/': ['packages/protocol/src/'],
  'packages/hub/src/permission/': [
    'packages/hub/src/permission/',
    'packages/hub/src/identity/',
    '@latchkey/protocol',
    '@latchkey/token',
  ],
  'packages/hub/src/access/': [
    'packages/hub/src/access/',
    'packages/hub/src/identity/',
    'packages/hub/src/permission/',
    '@latchkey/protocol',
    '@latchkey/service/limits/cache',
  ],
}
const unsteady = /\b(?:Date\.now|new Date\(\)|performance\.|Math\.random|randomBytes|process\.)/

/** Rooms that answer with facts, and the rooms of judgement that they must not use. */
const factual: Record<string, readonly string[]> = {
  'packages/hub/src/stores/': [
    'packages/hub/src/identity/',
    'packages/hub/src/permission/',
    'packages/hub/src/issue/',
  ],
}

/** What only the package with the tables and the folders may know; the command calls that package. */
const ofTables = /selectFrom|insertInto|updateTable|deleteFrom|\bSELECT\b|objectsIn\b/

/** Entries of a package that only some rooms may use. */
const reserved: Record<string, readonly string[]> = {
  '@latchkey/token/signing': ['packages/hub/', 'packages/testing/', 'packages/gate/src/testing/'],
  '@latchkey/admin-api/forge-port': ['packages/forge/', 'packages/hub/'],
  '@latchkey/admin-api/forge-codec': ['packages/forge/', 'packages/hub/'],
  '@latchkey/client/parts': ['packages/admin-client/', 'packages/storage/src/objects/s3/'],
  '@latchkey/gate/testing': ['packages/testing/', 'packages/conform/'],
}

/** Rooms for the tests of users: their package must not load them for anybody else. */
const kits: readonly string[] = ['packages/gate/src/testing/']

/** The one entry that a package may use of another, and only its types. */
const typesOf: Record<string, Record<string, string>> = {
  forge: { hub: '@latchkey/hub' },
}

/** Has no public: what its folders hold is for tests. */
const withoutEntries: readonly string[] = ['testing']

interface Import {
  readonly file: string
  readonly target: string
  readonly isType: boolean
}

const files = globSync('packages/*/src/**/*.ts', { cwd: root })
const imports = files.flatMap(importsOf)
const testImports = globSync('packages/*/test/**/*.ts', { cwd: root }).flatMap(importsOf)
const complaints = [
  ...testImports.flatMap(reachesInside),
  ...imports.flatMap(wallBroken),
  ...imports.flatMap(impure),
  ...imports.flatMap(judging),
  ...files.flatMap(unsteadyFile),
  ...files.flatMap(knowsTables),
  ...cycles(),
  ...globSync('packages/*/package.json', { cwd: root }).flatMap(openEntries),
]
for (const complaint of complaints) console.error(complaint)
if (complaints.length > 0) process.exit(1)
console.log(`${imports.length + testImports.length} imports look one way`)

function importsOf(file: string): Import[] {
  const text = readFileSync(resolve(root, file), 'utf8')
  const found = text.matchAll(
    /(?:(?:import|export) (type) (?:\{[^}]*\}|\*(?: as \w+)?|\w+)\s+)?(?:from|import)\s*\(?\s*'([^']+)'/g,
  )
  return Array.from(found).flatMap(([, type, target = '']) => {
    const targets = target.startsWith('#') ? forAnyPlatform(file, target) : [target]
    return targets.map((one) => ({ file, target: one, isType: type !== undefined }))
  })
}

/** The files of every platform, relative to the file that imports them. */
function forAnyPlatform(file: string, target: string): string[] {
  const name = packageOf(file)
  return platformFiles(name, target, 'src').map(
    (path) => `./${relative(dirname(file), `packages/${name}/${path}`)}`,
  )
}

function wallBroken({ file, target, isType }: Import): string[] {
  const own = packageOf(file)
  const other = target === 'latchkey' ? 'cli' : /^@latchkey\/([\w-]+)/.exec(target)?.[1]
  if (other !== undefined && !allowed[own]?.includes(other)) {
    return [`${file}: ${own} must not import ${other}`]
  }
  const entry = typesOf[own]?.[other ?? '']
  if (entry !== undefined && (target !== entry || !isType)) {
    return [`${file}: may use only the types of ${entry}`]
  }
  if (reserved[target]?.some((room) => file.startsWith(room)) === false) {
    return [`${file}: may not use ${target}`]
  }
  const to = target.startsWith('.') ? resolvedFrom(file, target) : target
  if (kits.some((room) => to.startsWith(room) && !file.startsWith(room))) {
    return [`${file}: loads a kit for tests by ${target}`]
  }
  const leaves = target.startsWith('.') && packageOf(to) !== own
  return leaves ? [`${file}: leaves its package by ${target}`] : []
}

/** A test uses another package by its public entries; what tests share is in `testing`. */
function reachesInside({ file, target }: Import): string[] {
  if (!target.startsWith('.')) return []
  const to = resolvedFrom(file, target)
  const isInside = to.startsWith('packages/') && packageOf(to) !== packageOf(file)
  return isInside ? [`${file}: reaches inside another package by ${target}`] : []
}

function impure({ file, target }: Import): string[] {
  const room = Object.keys(pure).find((folder) => file.startsWith(folder))
  if (room === undefined) return []
  const looksAt = target.startsWith('.') ? resolvedFrom(file, target) : target
  const isReserved = reserved[target] !== undefined
  const isAllowed = !isReserved && pure[room]?.some((allowed) => looksAt.startsWith(allowed))
  return isAllowed ? [] : [`${file}: decides with ${target} in reach`]
}

function judging({ file, target }: Import): string[] {
  const room = Object.keys(factual).find((folder) => file.startsWith(folder))
  if (room === undefined || !target.startsWith('.')) return []
  const to = resolvedFrom(file, target)
  const isForbidden = factual[room]?.some((folder) => to.startsWith(folder))
  return isForbidden ? [`${file}: answers with facts and must not judge by ${target}`] : []
}

function unsteadyFile(file: string): string[] {
  if (!Object.keys(pure).some((folder) => file.startsWith(folder))) return []
  const found = unsteady.exec(readFileSync(resolve(root, file), 'utf8'))
  return found === null ? [] : [`${file}: ${found[0]} is no argument`]
}

function knowsTables(file: string): string[] {
  if (packageOf(file) !== 'cli') return []
  const found = ofTables.exec(readFileSync(resolve(root, file), 'utf8'))
  return found === null ? [] : [`${file}: ${found[0]} belongs to another package`]
}

/** Each entry has a name of its own: by a wildcard every file of a package would be public. */
function openEntries(manifest: string): string[] {
  if (withoutEntries.includes(packageOf(manifest))) return []
  const text = readFileSync(resolve(root, manifest), 'utf8')
  const { exports = {} }: { exports?: Record<string, unknown> } = JSON.parse(text)
  const open = Object.keys(exports).filter((entry) => entry.includes('*'))
  return open.map((entry) => `${manifest}: "${entry}" makes every file an entry`)
}

/** Cycles of the imports between rooms of a package and between files, imports of types included. */
function cycles(): string[] {
  const [rooms, modules]: [Graph, Graph] = [new Map(), new Map()]
  for (const { file, target } of imports) {
    if (!target.startsWith('.')) continue
    const to = resolvedFrom(file, target)
    if (packageOf(to) !== packageOf(file)) continue
    connect(modules, file, to)
    connect(rooms, roomOf(file), roomOf(to))
  }
  return [
    ...cyclesOf(rooms).map((path) => `rooms in a circle: ${path}`),
    ...cyclesOf(modules).map((path) => `files in a circle: ${path}`),
  ]
}

type Graph = Map<string, Set<string>>

function connect(graph: Graph, from: string, to: string): void {
  if (from !== to) graph.set(from, (graph.get(from) ?? new Set()).add(to))
}

/** The path of each cycle that a walk through the graph meets. */
function cyclesOf(graph: Graph): string[] {
  const done = new Set<string>()
  const walk = (node: string, trail: readonly string[]): string[] => {
    if (trail.includes(node)) return [[...trail.slice(trail.indexOf(node)), node].join(' → ')]
    if (done.has(node)) return []
    const found = [...(graph.get(node) ?? [])].flatMap((next) => walk(next, [...trail, node]))
    done.add(node)
    return found
  }
  return [...graph.keys()].flatMap((node) => walk(node, []))
}

/** A room is the first folder below `src`; the files beside the rooms are a room too. */
function roomOf(file: string): string {
  const parts = file.split('/')
  return parts.slice(0, parts.length > 4 ? 4 : 3).join('/')
}

function resolvedFrom(file: string, target: string): string {
  return relative(root, resolve(root, dirname(file), target))
    .split(sep)
    .join('/')
}

function packageOf(file: string): string {
  return file.split('/')[1] ?? ''
}
