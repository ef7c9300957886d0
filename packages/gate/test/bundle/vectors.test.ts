/** The bundle decides the vectors on every runtime as the sources do on Node. */

import { readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import * as gate from '@latchkey/gate'
import { rounds } from '@latchkey/testing/chance'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { runElsewhere } from '@latchkey/testing/machine/run-elsewhere'
import { findProgram } from '@latchkey/testing/tools/find-program'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { sharedBundle } from '../../../../scripts/share-bundles.ts'
import { runWorkerd } from '../workerd/run-workerd.ts'
import type { Revocations } from './judge-revocations.ts'
import { type Documents, judgeVectors } from './judge-vectors.ts'

const folder = sharedFolder()
const bundle = join(folder, 'bundle.mjs')
const documentsFile = join(folder, 'documents.json')
const source = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')

const vectors = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../vectors/${name}.json`, import.meta.url), 'utf8'))
const documents: Documents = {
  tokens: vectors('tokens'),
  requests: vectors('requests'),
  'scope-rules': vectors('scope-rules'),
  visibility: vectors('visibility'),
}
const revocations: Revocations = vectors('revocations')

/** Other runtimes than workerd decide a tenth of the matrix until a soak. */
const isInPart = rounds(0, 1) === 0
const part: Documents = {
  ...documents,
  requests: {
    ...documents.requests,
    matrix: documents.requests.matrix.filter((_, index) => !isInPart || index % 10 === 0),
  },
}

beforeAll(async () => {
  writeFileSync(bundle, await sharedBundle('gate'))
  writeFileSync(documentsFile, JSON.stringify(part))
  const compiled = (name: string) =>
    stripTypeScriptTypes(source(name))
      .replace(`'@latchkey/gate/bundle'`, `'./bundle.mjs'`)
      .replace(`'./judge-vectors.ts'`, `'./judge-vectors.mjs'`)
  writeFileSync(join(folder, 'judge-vectors.mjs'), compiled('judge-vectors.ts'))
  writeFileSync(join(folder, 'program.mjs'), compiled('program.ts'))
})

/** How many cases of each kind there are, from the files themselves. */
function counted({ tokens, requests, 'scope-rules': scopeRules, visibility }: Documents): object {
  const throughFetch = requests.requests.filter((one) => one.notThrough?.['fetch'] === undefined)
  return {
    tokens: tokens.cases.length,
    matrix: requests.matrix.length,
    requests: requests.requests.length,
    fetch: throughFetch.length,
    paths: scopeRules.paths.length,
    scopes: scopeRules.scopes.length,
    visibility: visibility.rows.length + visibility.visible.length,
  }
}

test('the sources decide every vector on Node as it says', async () => {
  const judgement = { judged: counted(documents), complaints: [], impossibleMethods: [] }
  expect(await judgeVectors(gate, documents)).toEqual(judgement)
})

test('a gate with another clock decides some vectors of each kind otherwise', async () => {
  const clock = () => documents.tokens.now + 4000
  const createGate: typeof gate.createGate = (options) => gate.createGate({ ...options, clock })
  const { complaints } = await judgeVectors({ ...gate, createGate }, part)
  const kinds = new Set(complaints.map((complaint) => complaint.split(':')[0]))
  expect([...kinds]).toEqual(['tokens', 'matrix', 'requests', 'fetch', 'paths', 'scopes'])
})

const workerd = findProgram('workerd')
if (workerd === undefined) {
  console.warn('SKIPPED: workerd is not installed, so it does not decide the vectors')
}

/** A `Request` of workerd or Bun does not take these. */
const impossibleMethods = ['patch', 'BREW']

test.skipIf(workerd === undefined)('the bundle decides them on workerd the same way', async () => {
  const entry = join(import.meta.dirname, 'worker.ts')
  const alias = { '@latchkey/gate/bundle': bundle }
  const worker = await runWorkerd(workerd ?? '', entry, {}, alias)
  onTestFinished(worker.stop)
  const body = JSON.stringify({ ...documents, revocations })
  const response = await fetch(worker.url, { method: 'POST', body })
  const text = await response.text()
  expect(response.status, text + worker.printed()).toBe(200)
  const { lists, heads, histories, deaths } = revocations
  const judged = {
    ...counted(documents),
    revocations: lists.length + heads.length + histories.length + deaths.length,
  }
  expect(JSON.parse(text)).toEqual({ judged, complaints: [], impossibleMethods })
})

// biome-ignore format: a table is read by its columns
const runtimes = [
  { name: 'Deno', command: findProgram('deno'), methods: [],                words: ['run', '--no-prompt', '--no-lock', '--cached-only', '--allow-all'] },
  { name: 'Bun',  command: findProgram('bun'),  methods: impossibleMethods, words: ['--no-install', 'run'] },
]

for (const { name, command = '', methods, words } of runtimes) {
  if (command === '') console.warn(`SKIPPED: ${name} is not installed, so it decides no vectors`)

  test.skipIf(command === '')(`the bundle decides them on ${name} the same way`, async () => {
    const program = join(folder, 'program.mjs')
    const { code, stdout, stderr } = await runElsewhere(command, [...words, program, documentsFile])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const judgement = { judged: counted(part), complaints: [], impossibleMethods: methods }
    expect(JSON.parse(stdout)).toEqual(judgement)
  })
}
