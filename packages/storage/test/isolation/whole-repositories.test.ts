/** An operator may open the refs of a repository to each other; repositories stay apart. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStage, type Stage } from '../stage.ts'
import { contentOf, everything, lookFor, nothing, put } from './content.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ settings: { isolation: 'repository' } })
})
afterAll(() => stage.close())

// conformance: Embedded storage / storage.isolation relaxes the isolation of refs, not of repositories
test('isolation "repository" opens the other refs of the same repository and nothing else', async () => {
  const content = contentOf('of one ref')
  const repository = await stage.newRepository()
  await stage.newBranch(repository, 'apart')
  const other = await stage.newRepository()
  await put(await stage.caller(`write ${repository}@main`), content)
  const stranger = await stage.caller(`write ${other}@main`)
  expect(await lookFor(stranger, content)).toEqual(nothing(content))
  expect((await stranger.register([content.file])).code).toBe('content_invalid')
  const apart = await stage.caller(`write ${repository}@apart`)
  expect(await lookFor(apart, content)).toEqual(everything(content))
  expect(await apart.download(content.file.hash)).toEqual(content.bytes)
  // Its own all the same, once it is registered there.
  expect((await apart.register([content.file])).json).toEqual({ result: 1 })
  await stage.world.done('ref delete', { repository, ref: 'main' })
  expect(await apart.download(content.file.hash)).toEqual(content.bytes)
  expect(await lookFor(stranger, content)).toEqual(nothing(content))
})

test('nor does a token reach over into the address of another ref', async () => {
  const repository = await stage.newRepository()
  await stage.newBranch(repository, 'apart')
  const [main, apart] = await Promise.all(
    ['main', 'apart'].map((ref) => stage.caller(`read ${repository}@${ref}`)),
  )
  const told = await main?.ask('GET /v1/reconstructions?file_id=', { token: apart?.token ?? '' })
  expect([told?.status, told?.code]).toEqual([403, 'ref_mismatch'])
})
