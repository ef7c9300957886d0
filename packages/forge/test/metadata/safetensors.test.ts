/** The parameters of a model are counted by the headers of its files, with bounded work. */

import type { CallerQuestions } from '@latchkey/admin-api/forge-port'
import type { CommitHash } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import type { ObjectHash, Repository } from '../../src/git/index.ts'
import type { AskStorage, FileHash } from '../../src/large-files/ask-storage.ts'
import type { DescribedFile } from '../../src/large-files/describe-files.ts'
import type { FilledRevision } from '../../src/large-files/open-revision.ts'
import { readModelConfig } from '../../src/metadata/model-config.ts'
import { parameterCounts } from '../../src/metadata/safetensors.ts'
import { maxHeaderBytes, readCounts } from '../../src/metadata/safetensors-header.ts'
import { safetensors } from '../safetensors-file.ts'

/** In parts of the given length; `read.bytes` counts those that were taken. */
async function* inParts(bytes: Buffer, length: number, read = { bytes: 0 }) {
  for (let at = 0; at < bytes.length; at += length) {
    const part = bytes.subarray(at, at + length)
    read.bytes += part.length
    yield part
  }
}

const tensor = { dtype: 'BF16', shape: [3, 5], data_offsets: [0, 30] }

function manyTensors(count: number, one: object) {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, one]))
}

// biome-ignore format: a table is read by its columns
test.each<[what: string, bytes: Buffer]>([
  ['is longer than it may be',    safetensors({}, BigInt(maxHeaderBytes + 1))],
  ['has a length beyond all',     safetensors({}, 2n ** 64n - 1n)],
  ['is empty',                    safetensors('')],
  ['is no JSON',                  safetensors('{"a":')],
  ['is a list',                   safetensors('[1]')],
  ['has a tensor without a shape', safetensors({ a: { dtype: 'F32' } })],
  ['has a negative shape',        safetensors({ a: { dtype: 'F32', shape: [-1] } })],
  ['has a shape beyond all',      safetensors({ a: { dtype: 'F32', shape: [2 ** 40, 2 ** 40] } })],
  ['has a sum beyond all',        safetensors({ a: { dtype: 'F32', shape: [2 ** 52] }, b: { dtype: 'F32', shape: [2 ** 52] } })],
  ['has too many dimensions',     safetensors({ a: { dtype: 'F32', shape: Array(17).fill(1) } })],
  ['has a type that is no word',  safetensors({ a: { dtype: '<b>', shape: [1] } })],
  ['has metadata that nests',     safetensors({ __metadata__: { a: { b: 'c' } } })],
  ['has metadata that is a list', safetensors({ __metadata__: ['a'] })],
  ['has too many tensors',        safetensors(manyTensors(6000, { dtype: 'F8', shape: [] }))],
  ['ends before its end',         safetensors({}, 200n)],
])('a file has no counts if its header %s', async (_, bytes) => {
  expect(await readCounts(inParts(bytes, 7))).toBeUndefined()
})

test.each([1, 7, 1000])('a header is read in parts of %d bytes, and no further', async (length) => {
  const bytes = Buffer.concat([safetensors({ a: tensor, b: tensor }), Buffer.alloc(10_000)])
  const read = { bytes: 0 }
  expect(await readCounts(inParts(bytes, length, read))).toEqual({ BF16: 30 })
  expect(read.bytes).toBeLessThan(1500)
})

test('a long header is parsed in slices, and other work goes on between them', async () => {
  const bytes = safetensors(manyTensors(3500, tensor))
  expect(await turnsDuring(() => readCounts(inParts(bytes, bytes.length)))).toEqual({
    result: { BF16: 3500 * 15 },
    hasTurns: true,
  })
})

test('a long configuration is parsed in slices, and other work goes on between them', async () => {
  const text = JSON.stringify({ model_type: 'bert', labels: Array(20_000).fill('label') })
  const repository = {
    findEntries: async () => new Map([['config.json', { kind: 'file', hash: 'a' }]]),
    infoOf: async () => [{ size: text.length }],
    readObject: async () => ({ bytes: Buffer.from(text) }),
  } as unknown as Repository
  expect(await turnsDuring(() => readModelConfig(repository, 'a' as ObjectHash))).toEqual({
    result: { model_type: 'bert' },
    hasTurns: true,
  })
})

/** With whether the event loop had a few turns meanwhile. */
async function turnsDuring(work: () => Promise<unknown>) {
  let turns = 0
  let next: NodeJS.Immediate
  const turn = () => {
    turns += 1
    next = setImmediate(turn)
  }
  next = setImmediate(turn)
  const result = await work()
  clearImmediate(next)
  return { result, hasTurns: turns >= 3 }
}

describe('parameters are counted through the storage', () => {
  const file = (path: string): DescribedFile => {
    const oid = 'a'.repeat(40) as CommitHash
    return {
      type: 'file',
      oid,
      size: 500,
      path,
      lfs: { oid: 'b'.repeat(64), size: 500, pointerSize: 130 },
    }
  }
  const permitted = { accountId: 'ada', repositoryUid: 'uid', repo: {} }
  const opened = { permitted, commit: 'c'.repeat(40) } as unknown as FilledRevision
  const hub = { storageToken: async () => ({}) } as unknown as CallerQuestions
  const signal = new AbortController().signal
  const storageWith = (find: AskStorage['find']): AskStorage & { asked: number } => {
    const storage = {
      asked: 0,
      find,
      async read() {
        storage.asked += 1
        return inParts(safetensors({ a: tensor }), 1000)
      },
      adopt: async () => undefined,
      write: async () => 'd'.repeat(64) as FileHash,
    }
    return storage
  }

  test('once for an account and a file, of the files of one model', async () => {
    const storage = storageWith(async () => 'd'.repeat(64) as FileHash)
    const count = parameterCounts(storage)
    const files = ['model.safetensors', 'adapter.safetensors', 'x/model.safetensors'].map(file)
    const counted = { parameters: { BF16: 15 }, total: 15 }
    expect(await count(opened, files, { hub, signal })).toEqual(counted)
    expect(await count(opened, files, { hub, signal })).toEqual(counted)
    expect(storage.asked).toBe(1)
    const many = Array.from({ length: 65 }, (_, at) => file(`model-${at}-of-65.safetensors`))
    expect(await count(opened, many, { hub, signal })).toBeUndefined()
  })

  test('within some time: a storage that does not answer leaves the number out', async () => {
    const storage = storageWith(
      (_, __, { signal: over } = {}) =>
        new Promise((resolve) => over?.addEventListener('abort', () => resolve(undefined))),
    )
    const count = parameterCounts(storage, { patienceMs: 20 })
    expect(await count(opened, [file('model.safetensors')], { hub, signal })).toBeUndefined()
  })
})
