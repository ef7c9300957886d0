/** What is deleted is gone with all it had, and what is made again under its name has nothing of it. */

import { commit } from '@latchkey/testing/hub/hub-settings'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStage, type Stage } from '../stage.ts'
import { contentOf, everything, lookFor, nothing, put } from './content.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const content = contentOf('of what was deleted')

async function deletions(repository: string) {
  return [
    async () => {
      await stage.world.done('ref delete', { repository, ref: 'main' })
      return () => stage.newBranch(repository, 'main')
    },
    async () => {
      await stage.world.done('repo delete', { repository })
      return async () => {
        await stage.world.done('repo create', { repository, visibility: 'private' })
        await stage.newBranch(repository, 'main')
      }
    },
  ]
}

// conformance: Authentication / 5. A token is valid for one repository and one ref
test('a recreated repository or branch starts empty', async () => {
  const repository = await stage.newRepository()
  for (const remove of await deletions(repository)) {
    const owner = await stage.caller(`write ${repository}@main`)
    await put(owner, content)
    expect(await lookFor(owner, content)).toEqual(everything(content))
    const makeAgain = await remove()
    // The old token is still good for the gate, and opens nothing.
    expect(await lookFor(owner, content)).toEqual(nothing(content))
    await makeAgain()
    const again = await stage.caller(`write ${repository}@main`)
    expect(await lookFor(again, content)).toEqual(nothing(content))
    expect((await again.register([content.file])).code).toBe('content_invalid')
    expect(await lookFor(owner, content)).toEqual(nothing(content))
  }
})

// conformance: Embedded storage / Content is available only in its own repository and ref
test('deleting a branch or a repository removes what it had', async () => {
  const repository = await stage.newRepository()
  const before = await stage.rows()
  for (const remove of await deletions(repository)) {
    await put(await stage.caller(`write ${repository}@main`), content)
    expect(await stage.rows()).not.toEqual(before)
    const makeAgain = await remove()
    expect(await stage.rows()).toEqual(before)
    await makeAgain()
  }
})

// conformance: Authentication / 5. A token is valid for one repository and one ref
test('a token of what was deleted writes nothing', async () => {
  const repository = await stage.newRepository()
  for (const remove of await deletions(repository)) {
    const owner = await stage.caller(`write ${repository}@main`)
    const makeAgain = await remove()
    const [rows, objects] = [await stage.rows(), stage.objects()]
    const told = await owner.upload(contentOf('too late').xorb)
    expect([told.status, told.code]).toEqual([404, 'not_found'])
    expect((await owner.register([])).code).toBe('not_found')
    expect([await stage.rows(), stage.objects(), stage.drafts()]).toEqual([rows, objects, []])
    await makeAgain()
  }
})

// conformance: Embedded storage / Content is available only in its own repository and ref
test('a file of a fork survives the deletion of its origin', async () => {
  const repository = await stage.newRepository()
  const inherited = contentOf('inherited')
  const owner = await stage.caller(`write ${repository}@main`)
  await put(owner, content)
  await put(owner, inherited)
  stage.world.passSeconds(1)
  await stage.newBranch(repository, 'fork', 'main')
  const fork = await stage.caller(`write ${repository}@fork`)
  expect((await fork.register([content.file])).json).toEqual({ result: 1 })
  await stage.world.done('ref delete', { repository, ref: 'main' })
  expect(await fork.download(content.file.hash)).toEqual(content.bytes)
  // What the fork only looked at was its origin's.
  expect(await lookFor(fork, inherited)).toEqual(nothing(inherited))
  const later = await stage.caller(`read ${repository}@fork`)
  expect(await later.download(content.file.hash)).toEqual(content.bytes)
})

test('a commit keeps what was written under it when its branch is gone', async () => {
  const repository = await stage.newRepository()
  const hash = commit('d')
  await stage.world.done('commit record', { repository, hash, on: ['main'] })
  stage.world.passSeconds(1)
  await put(await stage.caller(`write ${repository}@${hash}`), content)
  await stage.world.done('ref delete', { repository, ref: 'main' })
  const reader = await stage.caller(`read ${repository}@${hash}`)
  expect(await reader.download(content.file.hash)).toEqual(content.bytes)
})
