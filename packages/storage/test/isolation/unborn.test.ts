/** Content that was uploaded before the first commit of a branch stays with the branch, and belongs to that commit. */

import { commit } from '@latchkey/testing/hub/hub-settings'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStage, type Stage } from '../stage.ts'
import { contentOf, everything, lookFor, nothing, put } from './content.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const before = contentOf('before the first commit')
const after = contentOf('after the first commit')

async function newRepository(name: string): Promise<string> {
  const repository = `models/acme/${name}`
  await stage.world.done('repo create', { repository })
  await put(await stage.caller(`write ${repository}@main`), before)
  return repository
}

test('the branch and its first commit read what was there before, and the commit no more', async () => {
  const repository = await newRepository('born')
  await stage.world.done('ref set', { repository, ref: 'main', commit: commit('b') })
  const branch = await stage.caller(`write ${repository}@main`)
  await put(branch, after)
  const first = await stage.caller(`read ${repository}@${commit('b')}`)
  expect(await branch.download(before.file.hash)).toEqual(before.bytes)
  expect(await first.download(before.file.hash)).toEqual(before.bytes)
  expect(await lookFor(branch, after)).toEqual(everything(after))
  expect(await lookFor(first, after)).toEqual(nothing(after))
})

test('a branch made from one without a commit reads what was there before, and no more', async () => {
  const repository = await newRepository('forked')
  await stage.world.done('ref set', { repository, ref: 'dev', from: 'main' })
  await put(await stage.caller(`write ${repository}@main`), after)
  const dev = await stage.caller(`read ${repository}@dev`)
  expect(await lookFor(dev, before)).toEqual(everything(before))
  expect(await lookFor(dev, after)).toEqual(nothing(after))
})

test('another branch without a commit reads nothing of it', async () => {
  const repository = await newRepository('apart')
  await stage.world.done('ref set', { repository, ref: 'apart' })
  const apart = await stage.caller(`read ${repository}@apart`)
  expect(await lookFor(apart, before)).toEqual(nothing(before))
})
