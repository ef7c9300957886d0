/** What was there before a commit or a fork belongs to it; what came after does not, not even at the same time by the clock. */

import { commit } from '@latchkey/testing/hub/hub-settings'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStage, type Stage } from '../stage.ts'
import { contentOf, everything, lookFor, nothing, put } from './content.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const before = contentOf('before')
const after = contentOf('after')
const own = contentOf('own')

/** Something is written before, and something after: with no second between. */
async function between(happen: (repository: string) => Promise<string>) {
  const repository = await stage.newRepository()
  const branch = await stage.caller(`write ${repository}@main`)
  await put(branch, before)
  const revision = await happen(repository)
  await put(branch, after)
  return {
    branch,
    reader: await stage.caller(`read ${repository}@${revision}`),
    writer: await stage.caller(`write ${repository}@${revision}`),
  }
}

async function expectBeforeOnly({ branch, reader, writer }: Awaited<ReturnType<typeof between>>) {
  expect(await reader.download(before.file.hash)).toEqual(before.bytes)
  for (const caller of [reader, writer]) {
    expect(await lookFor(caller, before)).toEqual(everything(before))
    expect(await lookFor(caller, after)).toEqual(nothing(after))
  }
  expect(await lookFor(branch, after)).toEqual(everything(after))
  expect((await writer.register([after.file], [after.xorb])).code).toBe('content_invalid')
  expect((await writer.register([before.file], [before.xorb])).json).toEqual({ result: 1 })
  await put(writer, own)
  expect(await lookFor(branch, own)).toEqual(nothing(own))
}

// conformance: Attacks / 1. An attacker uses an old commit or a fork to read later content
test('a commit reads what its branch wrote before it, not after', async () => {
  const callers = await between(async (repository) => {
    const hash = commit('b')
    await stage.world.done('commit record', { repository, hash, on: ['main'] })
    return hash
  })
  await expectBeforeOnly(callers)
})

// conformance: Attacks / 1. An attacker uses an old commit or a fork to read later content
test('a fork reads what was there before it forked, not after', async () => {
  const callers = await between(async (repository) => {
    await stage.world.done('ref set', { repository, ref: 'fork', from: 'main' })
    return 'fork'
  })
  await expectBeforeOnly(callers)
})

// conformance: Attacks / 2. An attacker guesses a secret hash or copies it to another branch
test('a branch that is moved to a commit reads nothing of the branch that has it', async () => {
  const repository = await stage.newRepository()
  await put(await stage.caller(`write ${repository}@main`), before)
  await stage.newBranch(repository, 'apart')
  await stage.world.done('ref set', { repository, ref: 'main', commit: commit('c') })
  await stage.world.done('ref set', { repository, ref: 'apart', commit: commit('c') })
  const apart = await stage.caller(`read ${repository}@apart`)
  expect(await lookFor(apart, before)).toEqual(nothing(before))
})
