/** What happens at the same time happens one after the other, or not at all. */

import { answersIn } from '@latchkey/testing/http/raw-answers'
import { dial, head } from '@latchkey/testing/http/raw-line'
import { cutInto, makeXorb, wordyBytes } from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contentOf } from '../isolation/content.ts'
import { openStage, type Stage } from '../stage.ts'
import { bundledThreads } from '../threads/bundled-threads.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ openPool: bundledThreads })
})
afterAll(() => stage.close())

test.each(['ref', 'repo'])(
  'an upload whose %s is deleted while it runs is a 404, and nothing is kept',
  async (kind) => {
    const { xorb } = contentOf(`of a deleted ${kind}`)
    const repository = await stage.newRepository()
    const { token, url } = await stage.caller(`write ${repository}@main`)
    const [objects, rows] = [await stage.namedObjects(), await stage.rows()]
    const line = await dial(stage.url)
    const path = `${new URL(url).pathname}/v1/xorbs/default/${xorb.hash}`
    const said = [`Content-Length: ${xorb.bytes.length}`, 'Connection: close']
    line.say(head(`POST ${path}`, said, { authorization: `Bearer ${token}` }))
    line.say(xorb.bytes.subarray(0, 1000))
    await expect.poll(() => stage.drafts()).toHaveLength(1)
    const what = kind === 'ref' ? { repository, ref: 'main' } : { repository }
    await stage.world.done(`${kind} delete`, what)
    line.say(xorb.bytes.subarray(1000))
    const [answer] = answersIn(await line.toTheEnd())
    expect([answer?.status, JSON.parse(answer?.body ?? '').code]).toEqual([404, 'not_found'])
    expect([await stage.namedObjects(), await stage.rows(), stage.drafts()]).toEqual([
      objects,
      rows,
      [],
    ])
  },
)

test('the same xorb uploaded many times at once is inserted once', async () => {
  const { xorb, file, bytes } = contentOf('from everywhere at once')
  const writer = await stage.caller(`write ${await stage.newRepository()}@main`)
  const before = (await stage.namedObjects()).length
  const told = await Promise.all(Array.from({ length: 12 }, () => writer.upload(xorb)))
  expect(told.map(({ status }) => status)).toEqual(told.map(() => 200))
  expect(told.filter(({ json }) => json['was_inserted'] === true)).toHaveLength(1)
  expect(await stage.namedObjects()).toHaveLength(before + 1)
  await expect.poll(() => stage.drafts()).toEqual([])
  const registered = await Promise.all(Array.from({ length: 8 }, () => writer.register([file])))
  expect(registered.filter(({ json }) => json['result'] === 1)).toHaveLength(1)
  expect(await writer.download(file.hash)).toEqual(bytes)
})

test('two encodings of one xorb uploaded at once leave the ref with one of them', async () => {
  const chunks = cutInto(wordyBytes('raced', 4000), 1000)
  const encodings = (['none', 'lz4'] as const).map((scheme) => makeXorb(chunks, { scheme }))
  const writer = await stage.caller(`write ${await stage.newRepository()}@main`)
  const before = (await stage.namedObjects()).length
  const told = await Promise.all([...encodings, ...encodings].map((xorb) => writer.upload(xorb)))
  expect(told.filter(({ json }) => json['was_inserted'] === true)).toHaveLength(1)
  const { bytes } = await writer.ask(`GET /v1/xorbs/default/${encodings[0]?.hash}`)
  expect(encodings.some((xorb) => xorb.bytes.equals(bytes))).toBe(true)
  expect([(await stage.namedObjects()).length, stage.drafts()]).toEqual([before + 1, []])
})
