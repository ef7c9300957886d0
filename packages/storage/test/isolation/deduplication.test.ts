/** That equal content is kept once shows nowhere. */

import { cutInto, makeFile, makeXorb, wordyBytes } from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Told } from '../caller.ts'
import { openStage, type Stage } from '../stage.ts'
import { contentOf } from './content.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

async function twoBranches() {
  const repository = await stage.newRepository()
  await stage.newBranch(repository, 'apart')
  const elsewhere = await stage.newRepository()
  return Promise.all(
    [`${repository}@main`, `${repository}@apart`, `${elsewhere}@main`].map((place) =>
      stage.caller(`write ${place}`),
    ),
  )
}

/** An answer, but for what is another in every one. */
function gistOf({ status, headers, text }: Told): unknown {
  const own = ['x-request-id', 'date']
  return [status, text, [...headers].filter(([name]) => !own.includes(name))]
}

// conformance: Attacks / 25. An attacker uses deduplication to detect content of others
test('was_inserted and result speak of this ref only', async () => {
  const { xorb, file } = contentOf('what three refs get')
  const answers = []
  for (const caller of await twoBranches()) {
    const told = [await caller.upload(xorb), await caller.register([file], [xorb])]
    const again = [await caller.upload(xorb), await caller.register([file], [xorb])]
    expect([...told, ...again].map(({ json }) => json)).toEqual([
      { was_inserted: true },
      { result: 1 },
      { was_inserted: false },
      { result: 0 },
    ])
    answers.push([...told, ...again].map(gistOf))
  }
  expect(answers[1]).toEqual(answers[0])
  expect(answers[2]).toEqual(answers[0])
})

test('equal bytes are one file on the disk', async () => {
  const before = (await stage.namedObjects()).length
  for (const caller of await twoBranches()) await caller.upload(contentOf('kept once').xorb)
  expect(await stage.namedObjects()).toHaveLength(before + 1)
})

// conformance: Attacks / 25. An attacker uses deduplication to detect content of others
test('two encodings of the same chunks are two files on the disk, and each ref gets its own bytes back', async () => {
  const chunks = cutInto(wordyBytes('in two encodings', 5000), 1000)
  const encodings = (['none', 'lz4', 'groupedLz4'] as const).map((scheme) =>
    makeXorb(chunks, { scheme }),
  )
  const before = (await stage.namedObjects()).length
  const callers = await twoBranches()
  for (const [index, xorb] of encodings.entries()) {
    expect((await callers[index]?.upload(xorb))?.json).toEqual({ was_inserted: true })
  }
  expect(new Set(encodings.map(({ hash }) => hash)).size).toBe(1)
  expect(await stage.namedObjects()).toHaveLength(before + 3)
  for (const [index, xorb] of encodings.entries()) {
    const caller = callers[index]
    const told = await caller?.ask(`GET /v1/xorbs/default/${xorb.hash}`)
    expect(told?.bytes.equals(xorb.bytes)).toBe(true)
    await caller?.register([makeFile([{ xorb }])])
    expect(await caller?.download(makeFile([{ xorb }]).hash)).toEqual(Buffer.concat(chunks))
  }
})

test('the first encoding that a ref has brought stays', async () => {
  const chunks = cutInto(wordyBytes('brought again', 3000), 1000)
  const [plain, packed] = [
    makeXorb(chunks, { scheme: 'none' }),
    makeXorb(chunks, { scheme: 'lz4' }),
  ]
  const [caller] = await twoBranches()
  const before = (await stage.namedObjects()).length
  expect((await caller?.upload(plain))?.json).toEqual({ was_inserted: true })
  expect((await caller?.upload(packed))?.json).toEqual({ was_inserted: false })
  const told = await caller?.ask(`GET /v1/xorbs/default/${plain.hash}`)
  expect(told?.bytes.equals(plain.bytes)).toBe(true)
  expect([(await stage.namedObjects()).length, stage.drafts()]).toEqual([before + 1, []])
})
