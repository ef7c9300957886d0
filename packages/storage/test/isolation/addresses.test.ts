/** The address of a ref has an epoch when something was removed; a client that has an old one is not shut out. */

import { isRefusal, parseRepoRef } from '@latchkey/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteContent } from '../../src/maintenance/delete-content.ts'
import { callerWith } from '../caller.ts'
import { openStage, type Stage } from '../stage.ts'
import { contentOf, everything, lookFor, put } from './content.ts'

const [content, forgotten] = [contentOf('that stays'), contentOf('that goes')] as const

let stage: Stage
let repository: string
beforeAll(async () => {
  stage = await openStage()
  repository = await stage.newRepository()
})
afterAll(() => stage.close())

async function forgetOne(): Promise<void> {
  const maintenance = stage.maintenance
  const repo = parseRepoRef(repository)
  if (repo === undefined) throw new Error('no such repository')
  const { hash } = forgotten.xorb
  const gone = await deleteContent(maintenance, { repository: repo, hash }, { isDryRun: false })
  if (isRefusal(gone)) throw new Error(gone.detail)
}

test.each(['-0', '-01', '-1x', '-', '--1', '-1-1', 'x', '-1234567890123456'])(
  'an address that ends in %j belongs to no token',
  async (ending) => {
    const { token, url } = await stage.caller(`write ${repository}@main`)
    const wrong = callerWith(stage.url, { token, casUrl: url + ending })
    const told = await wrong.ask(`GET /v1/chunks/default/${content.firstChunk}`)
    expect([told.status, told.code]).toEqual([403, 'ref_mismatch'])
    expect((await wrong.upload(content.xorb)).code).toBe('ref_mismatch')
  },
)

// conformance: Embedded storage / The storage URL changes when cached content is removed
test('an address from before a removal goes on working, and reads what the new one writes', async () => {
  const old = await stage.caller(`write ${repository}@main`)
  await put(old, forgotten)
  await forgetOne()
  const now = await stage.caller(`write ${repository}@main`)
  expect(now.url.startsWith(`${old.url}-`)).toBe(true)
  await put(now, content)
  for (const caller of [now, old]) {
    expect(await lookFor(caller, content)).toEqual(everything(content))
    expect(await caller.download(content.file.hash)).toEqual(content.bytes)
  }
  const later = contentOf('through the old address')
  await put(old, later)
  expect(await lookFor(now, later)).toEqual(everything(later))
})
