/** The vectors are what their generator writes, and what their schemas describe. */

import { spawnSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { folderOf, root } from '../packages/packages.ts'
import { documents } from '../vectors/documents.ts'

const folder = folderOf('vectors')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const readJson = (name: string) => JSON.parse(read(name))
const names = globSync('*.json', { cwd: folder, exclude: ['package.json'] }).sort()

test('npx node scripts/write-vectors.ts writes the files that are here, byte for byte', () => {
  for (const [name, text] of Object.entries(documents)) {
    const written = existsSync(join(folder, name)) ? read(name) : ''
    expect(written === text, `vectors/${name} is not what the script writes`).toBe(true)
  }
})

test('each file has a schema, and the package exports both', () => {
  expect(globSync('*.json', { cwd: join(folder, 'schema') }).sort()).toEqual(names)
  const files = [...names, ...names.map((name) => `schema/${name}`)]
  const exported = files.map((name) => [`./${name}`, `./${name}`])
  expect(readJson('package.json').exports).toEqual(Object.fromEntries(exported))
})

test('the page of the vectors has a row for each file', () => {
  const rows = Array.from(
    read('README.md').matchAll(/^\| `([\w-]+\.json)` \|/gm),
    ([, name]) => name,
  )
  expect(rows.sort()).toEqual(names)
})

test.each([
  ['ours', 'verified.ok', 0],
  ['one that accepts every token', 'true', 1],
])('the runner on the page of the vectors judges a verifier: %s', (_, verdict, status) => {
  const [, runner = ''] = /^```js\n(.*?)^```$/ms.exec(read('README.md')) ?? []
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const made = mkdtempSync(join(cache, 'latchkey-runner-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  const verifier = `
    import { readKeySet, verifyToken } from '@latchkey/token'
    export async function accepts(token, { jwks, ...expected }) {
      const verified = await verifyToken(token, { ...expected, keys: await readKeySet(jwks) })
      return ${verdict}
    }`
  writeFileSync(join(made, 'my-verifier.js'), verifier)
  writeFileSync(join(made, 'runner.mjs'), runner.replaceAll('@latchkey/vectors', folder))
  writeFileSync(join(made, 'package.json'), '{ "type": "module" }')
  const run = spawnSync(process.execPath, [join(made, 'runner.mjs')], { encoding: 'utf8' })
  expect(run.status, run.stderr).toBe(status)
  expect(run.stderr.includes('alg none, no signature: expected rejected')).toBe(status === 1)
})

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** A value that no member of any file may have. */
const wrong: Json = { 'no such member': [[{}]] }

/** Members that hold any JSON, because a hub may send any. */
const free: Readonly<Record<string, RegExp>> = {
  'client.json': /\.(?:hub|storage)\[\]\.(?:body|token)/,
}

/** Members that no object happens to lack. */
const optional: Readonly<Record<string, RegExp>> = {
  'client.json': /\.(?:outcome\.status|alternative\.code)$/,
  'responses.json':
    /\.apply\[\].*\.(?:accounts|namespaces|repositories|hubTokens|disabled|members|branches|grants|expiresAt)$/,
  'world.json':
    /\.(?:accounts|namespaces|repositories|hubTokens|members|visibility|defaultBranch|branches|commit|from)$/,
}

/** Objects whose members have names that a file chooses. */
const maps =
  /\.(?:places|tokens|grants|refs|headers|notThrough|members|branches|tags|commits|hub\[\]\.token)$/

describe.each(names)('%s', (name) => {
  const schema: AnySchemaObject = readJson(`schema/${name}`)
  const isValid: ValidateFunction = new Ajv2020({ allowUnionTypes: true }).compile(schema)
  const whole: Json = readJson(name)

  test('has the form of its schema', () => {
    isValid(whole)
    expect(isValid.errors ?? []).toEqual([])
  })

  test('has it no longer with one member less, more or different', () => {
    const sample = sampleOf(whole)
    isValid(sample)
    expect(isValid.errors ?? []).toEqual([])
    const everywhere = membersEverywhere(whole)
    const isNeeded = (path: string) => everywhere.has(path) && !optional[name]?.test(path)
    const changes = changesOf(sample).filter(
      ({ path, without }) =>
        !free[name]?.test(path) && (without === undefined || isNeeded(`${path}.${without}`)),
    )
    expect(changes.length).toBeGreaterThan(10)
    const unnoticed = onceEach(changes).filter(({ made }) => isValid(made))
    expect(unnoticed.map(({ path, without }) => `${path} ${without ?? ''}`)).toEqual([])
  })
})

/** The same document with few elements in each list: those that have something no element before them has. */
function sampleOf(value: Json, path = ''): Json {
  const isList = Array.isArray(value) && !isTuple(value)
  if (!isList && !isObject(value)) return value
  const seen = new Set<string>()
  const members = membersOf(value, path).filter(({ step, member }) => {
    if (!isList && !maps.test(path)) return true
    const before = seen.size
    for (const form of formsIn(member, `${path}${step}`)) seen.add(form)
    return seen.size > before
  })
  const entries = members.map(({ key, step, member }) => [key, sampleOf(member, `${path}${step}`)])
  return isList ? entries.map(([, member = null]) => member) : Object.fromEntries(entries)
}

/** Rows and headers, whose places have a meaning. */
function isTuple(value: readonly Json[]): boolean {
  return value.every((element) => typeof element !== 'object' || element === null)
}

/** Where there is a value of which type, and which members it has. */
function formsIn(value: Json, path: string): readonly string[] {
  const names = isObject(value) && !maps.test(path) ? Object.keys(value).join() : ''
  const form = `${path} ${value === null ? 'null' : typeof value} ${names}`
  const inside = membersOf(value, path)
  return [form, ...inside.flatMap(({ step, member }) => formsIn(member, `${path}${step}`))]
}

/** The same change to an object with the same members says nothing new. */
function onceEach(changes: readonly Change[]): readonly Change[] {
  const named = changes.map((change) => {
    const { path, without = '', members = [] } = change
    return [`${path} ${without} ${members.join()}`, change] as const
  })
  return [...new Map(named).values()]
}

interface Change {
  /** Where, without the numbers of elements. */
  readonly path: string
  /** Of the object that is changed; a value that is replaced has none. */
  readonly members?: readonly string[]
  /** The member that is missing there. */
  readonly without?: string
  readonly made: Json
}

/** Each place of the document with a wrong value; each object with a member more, and with one less. */
function changesOf(value: Json, path = ''): readonly Change[] {
  const inside = membersOf(value, path).flatMap(({ key, step, member }) =>
    changesOf(member, `${path}${step}`).map((change) => ({
      ...change,
      made: withMember(value, key, change.made),
    })),
  )
  const replaced = { path, made: wrong }
  if (!isObject(value)) return [replaced, ...inside]
  const members = maps.test(path) ? ['*'] : Object.keys(value)
  const names = maps.test(path) ? [] : members
  return [
    replaced,
    { path, members, made: { ...value, ...Object(wrong) } },
    ...names.map((without) => ({ path, members, without, made: withoutMember(value, without) })),
    ...inside,
  ]
}

/** The members, with their paths, of which no object at this path lacks one. */
function membersEverywhere(whole: Json): ReadonlySet<string> {
  const counts = new Map<string, number>()
  const add = (path: string) => counts.set(path, (counts.get(path) ?? 0) + 1)
  const visit = (value: Json, path: string) => {
    if (isObject(value)) add(`${path}{}`)
    for (const { step, member } of membersOf(value, path)) {
      if (isObject(value)) add(`${path}${step}`)
      visit(member, `${path}${step}`)
    }
  }
  visit(whole, '')
  const parentOf = (path: string) => `${path.slice(0, path.lastIndexOf('.'))}{}`
  return new Set(
    [...counts.keys()].filter((path) => counts.get(path) === counts.get(parentOf(path))),
  )
}

function isObject(value: Json): value is { readonly [name: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

function membersOf(value: Json, path: string) {
  if (Array.isArray(value)) {
    return value.map((member, key) => ({ key: String(key), step: '[]', member }))
  }
  if (!isObject(value)) return []
  const isMap = maps.test(path)
  return Object.entries(value).map(([key, member]) => ({
    key,
    step: isMap ? '.*' : `.${key}`,
    member,
  }))
}

function withoutMember(value: object, name: string): Json {
  return Object.fromEntries(Object.entries(value).filter(([other]) => other !== name))
}

function withMember(value: Json, key: string, member: Json): Json {
  return Array.isArray(value)
    ? value.map((one, index) => (String(index) === key ? member : one))
    : { ...Object(value), [key]: member }
}
