/** What others have and what nobody has are the same to who may not see it: in every answer, and in the work it takes. */

import { statementsDuring } from '@latchkey/testing/hub/statements'
import { workHere } from '@latchkey/testing/machine/work-here'
import { makeFile, makeShard } from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bodyOf, type Caller, type Sent, type Told } from '../caller.ts'
import { namedOperationsDuring } from '../objects/named-operations.ts'
import { openStage, type Stage } from '../stage.ts'
import { bundledThreads } from '../threads/bundled-threads.ts'
import { type Content, contentOf, looksFor, put } from './content.ts'
import { fileOperationsDuring } from './file-operations.ts'

/** Another branch's, another repository's, and nobody's. */
const [near, far, absent] = ['near', 'far', 'absent'].map((word) => contentOf(word)) as [
  Content,
  Content,
  Content,
]
const own = contentOf('own')

let stages: readonly Stage[]
/** One whose storage works in this process, where statements and file operations can be watched. */
let asker: Caller
/** One whose storage works on threads, as it does. */
let askerOfThreads: Caller
beforeAll(async () => {
  stages = [await openStage({ openPool: workHere }), await openStage({ openPool: bundledThreads })]
  const askers = await Promise.all(stages.map(askerOn))
  asker = askers[0] ?? asker
  askerOfThreads = askers[1] ?? asker
})
afterAll(() => Promise.all(stages.map((stage) => stage.close())))

async function askerOn(stage: Stage): Promise<Caller> {
  const [repository, other] = [await stage.newRepository(), await stage.newRepository()]
  await stage.newBranch(repository, 'apart')
  await put(await stage.caller(`write ${repository}@apart`), near)
  await put(await stage.caller(`write ${other}@main`), far)
  const caller = await stage.caller(`write ${repository}@main`)
  await put(caller, own)
  return caller
}

/** Everything that can be asked of content, by name. */
function questionsOf(content: Content): readonly (readonly [string, Sent])[] {
  const { xorb, file } = content
  const shards = [
    makeShard({ files: [file], xorbs: [xorb] }),
    makeShard({ files: [], xorbs: [xorb] }),
    makeShard({ files: [own.file, makeFile([{ xorb: own.xorb }, { xorb }])], xorbs: [own.xorb] }),
  ]
  const keys = JSON.stringify([own.file, file].map(({ hash }) => ({ prefix: 'default', hash })))
  return [
    ...looksFor(content).map((call) => [call, {}] as const),
    [`GET /v1/xorbs/default/${xorb.hash}`, { headers: { range: 'bytes=9999999-' } }],
    [`GET /v2/reconstructions/${file.hash}`, { headers: { range: 'bytes=9999999-' } }],
    [`GET /v1/reconstructions?file_id=${own.file.hash}&file_id=${file.hash}`, {}],
    ['POST /v1/reconstructions', { body: keys }],
    ['POST /v1/shards/adopt', { body: JSON.stringify({ files: [file.hash] }) }],
    ['POST /v1/shards/adopt', { body: JSON.stringify({ files: [own.file.hash, file.hash] }) }],
    ...shards.map((shard) => ['POST /v1/shards', { body: bodyOf(shard) }] as const),
    ...shards.map((shard) => ['POST /v2/shards', { body: bodyOf(shard) }] as const),
  ]
}

/** An answer without what is another in every one, and without the names of what was asked for. */
function gistOf({ status, headers, text }: Told, content: Content): unknown {
  const { xorb, file, firstChunk, sha256 } = content
  const names = [xorb.hash, file.hash, firstChunk, sha256]
  const plain = (word: string) => names.reduce((rest, name) => rest.replaceAll(name, 'it'), word)
  const listed = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
  const body = plain(text).replace(/"requestId":"\w+"/, '')
  return [status, body, listed.map(([name, value]) => [name, plain(value)])]
}

const ask = (content: Content, index: number, by = asker): Promise<Told> => {
  const [call, sent] = questionsOf(content)[index] ?? ['', {}]
  return by.ask(call, sent)
}

const calls = questionsOf(absent).map(
  ([call], index) => [call.split(/[?/]\w{64}/)[0], index] as const,
)

// conformance: Attacks / 25. An attacker uses deduplication to detect content of others
test.each(calls)('%s (%i) answers alike', async (_, index) => {
  const [one, ...others] = await Promise.all(
    [absent, near, far].map(async (content) => gistOf(await ask(content, index), content)),
  )
  expect(others).toEqual([one, one])
  const onThreads = await Promise.all(
    [absent, near, far].map(async (content) =>
      gistOf(await ask(content, index, askerOfThreads), content),
    ),
  )
  expect(onThreads).toEqual([one, one, one])
})

test('reconstructions and the check of shards are work of threads: here it shows none of their lookups', async () => {
  const lookups = (by: Caller) =>
    statementsDuring(async () => {
      for (const [call, index] of calls) {
        if (/reconstruction|shards$/.test(call ?? '')) await ask(absent, index, by)
      }
    })
  expect((await lookups(asker)).length).toBeGreaterThan(0)
  expect(await lookups(askerOfThreads)).toEqual([])
})

// conformance: Attacks / 25. An attacker uses deduplication to detect content of others
test.each(calls)('%s (%i) takes the same statements and file operations', async (call, index) => {
  const workFor = async (content: Content) => {
    const files: string[] = []
    const statements = await statementsDuring(async () => {
      files.push(...(await fileOperationsDuring(() => ask(content, index))))
    })
    return { statements, files }
  }
  // The first time may find less in memory.
  await workFor(absent)
  const work = await workFor(absent)
  expect(work.statements.length).toBeGreaterThan(0)
  expect(work.files.length > 0).toBe(/POST .*shards$/.test(call ?? ''))
  for (const content of [near, far]) expect(await workFor(content)).toEqual(work)
})

/** For content in a bucket, another test compares what the store is asked. */
const isOnDisk = process.env['LATCHKEY_TEST_OBJECTS'] !== 's3'

// conformance: Attacks / 25. An attacker uses deduplication to detect content of others
// conformance: Attacks / 41. An attacker detects known content by file operations
test.runIf(isOnDisk)(
  'bytes that others have are taken in, checked and written down like new ones',
  async () => {
    const workFor = async (content: Content, discarded: number) => {
      let told: Told | undefined
      let files: readonly string[] = []
      const statements = await statementsDuring(async () => {
        files = await namedOperationsDuring(async (begun) => {
          told = await asker.upload(content.xorb)
          // The draft goes after the answer, and so does an object whose bytes are there already.
          await expect.poll(() => begun.filter((name) => name === 'unlink')).toHaveLength(discarded)
        })
      })
      expect(files).toContain('rename')
      expect(files).not.toContain('mkdir')
      // Until the answer: then each looks whether its object has the name, and one that has not goes with its row.
      files = files.slice(0, files.indexOf('unlink'))
      const look = statements.findIndex((sql) => /^select "key", "digest" .* "key" in/.test(sql))
      expect(look).toBeGreaterThan(0)
      return [told && gistOf(told, content), statements.slice(0, look + 1), files]
    }
    const [one, ...others] = [
      await workFor(contentOf('new'), 1),
      await workFor(near, 2),
      await workFor(far, 2),
    ]
    expect(others).toEqual([one, one])
  },
)

/** The work is counted above. Where it is the store's, time tells of the store and of the machine alone. */
test.runIf(isOnDisk)('and takes the same time', { tags: 'soak', timeout: 120_000 }, async () => {
  const index = calls.findIndex(([call]) => call?.startsWith('GET /v2/reconstructions'))
  const times = { absent: [] as number[], far: [] as number[] }
  for (let round = 0; round < 2000; round += 1) {
    const order = round % 2 === 0 ? (['absent', 'far'] as const) : (['far', 'absent'] as const)
    for (const which of order) {
      const started = performance.now()
      await ask(which === 'far' ? far : absent, index, askerOfThreads)
      times[which].push(performance.now() - started)
    }
  }
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[list.length / 2] ?? 0
  expect(median(times.far) / median(times.absent)).toBeGreaterThan(0.95)
  expect(median(times.far) / median(times.absent)).toBeLessThan(1.05)
})
